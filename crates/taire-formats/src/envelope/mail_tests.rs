use super::*;
use crate::OutSpan;
use crate::text_edit::tests::replace_all;

const NAMES: &[&str] = &["KERVADEC", "Kervadec", "kervadec", "Aldegonde", "aldegonde", "Lefèvre"];

/// A message with a name in every corner.
fn message() -> String {
    let rtf = inside::to_base64(b"{\\rtf1\\ansi Mme Lef\\'e8vre}");
    let inner = "From: Aldegonde KERVADEC <aldegonde@kervadec.fr>\r\nSubject: Kervadec\r\n\r\nLettre de Kervadec.\r\n";
    format!(
        "Return-Path: <kervadec@chu.fr>\r\nReceived: from kervadec.fr; Thu, 12 Feb 2020 08:00:00 +0100\r\n\
         Message-ID: <kervadec@chu.fr>\r\nX-Patient: KERVADEC\r\nDate: Wed, 12 Feb 2020 09:30:00 +0100\r\n\
         From: \"Dr Aldegonde KERVADEC\" <a.kervadec@chu.fr>\r\nTo: =?utf-8?Q?Lef=C3=A8vre=2C_Aldegonde?= <lefevre@chu.fr>\r\n\
         Subject: =?iso-8859-1?Q?Mme_Lef=E8vre?=\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=\"KERVADEC\"\r\n\r\nPreamble of Kervadec\r\n--KERVADEC\r\n\
         Content-Type: multipart/alternative; boundary=b2\r\n\r\n--b2\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\
         Content-Transfer-Encoding: quoted-printable\r\n\r\nMme Lef=E8vre va bien.\r\n--b2\r\n\
         Content-Type: text/html; charset=utf-8\r\n\r\n<p>Mme <b>Lef&egrave;vre</b> va bien.</p>\r\n--b2--\r\n--KERVADEC\r\n\
         Content-Type: application/rtf; name=\"Kervadec.rtf\"\r\nContent-Description: Kervadec\r\n\
         Content-Disposition: attachment; filename=\"Kervadec.rtf\"\r\nContent-Transfer-Encoding: base64\r\n\r\n{rtf}\r\n\
         --KERVADEC\r\nContent-Type: image/png; name=\"Kervadec.png\"\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n\
         --KERVADEC\r\nContent-Type: message/rfc822\r\n\r\n{inner}\r\n--KERVADEC--\r\n"
    )
}

fn replaced(text: &str) -> (String, Vec<OutSpan>) {
    let swaps: Vec<(&str, &str)> = [
        ("a.kervadec@chu.fr", "x@exemple.fr"),
        ("aldegonde@kervadec.fr", "y@exemple.fr"),
        ("lefevre@chu.fr", "z@exemple.fr"),
        ("2020-02-12", "2020-03-01"),
        ("KERVADEC", "NOËL"),
        ("Kervadec", "Noël"),
        ("Aldegonde", "Luce"),
        ("Lefèvre", "Petit"),
    ]
    .into();
    replace_all(text, &swaps)
}

#[test]
fn no_name_survives_in_any_corner_of_a_mail() {
    let opened = open(message().as_bytes()).unwrap();
    assert_eq!(
        opened.text,
        "Date: 2020-02-12\nFrom: Dr Aldegonde KERVADEC <a.kervadec@chu.fr>\nTo: Lefèvre, Aldegonde <lefevre@chu.fr>\n\
         Subject: Mme Lefèvre\nMme Lefèvre va bien.\nMme Lefèvre va bien.\nMme Lefèvre\n\
         From: Aldegonde KERVADEC <aldegonde@kervadec.fr>\nSubject: Kervadec\nLettre de Kervadec.\n\n"
    );
    assert_eq!(opened.read.date, Some(jiff::civil::date(2020, 2, 12)));
    let labels: Vec<_> =
        opened.read.given.iter().filter_map(|g| Some((g.span.of(&opened.text), g.label?))).collect();
    assert!(
        labels.contains(&("KERVADEC", Label::FamilyName)) && labels.contains(&("Lefèvre", Label::FamilyName))
    );
    assert!(
        labels.contains(&("Aldegonde", Label::GivenName)) && labels.contains(&("2020-02-12", Label::Date))
    );
    assert_eq!(opened.left_out[&LeftOut::UnknownFields], 5);
    assert_eq!(opened.left_out[&LeftOut::Pictures], 1);
    let (new, spans) = replaced(&opened.text);
    let written = opened.way.write(&new, &spans).unwrap();
    let shown = String::from_utf8(written.clone()).unwrap();
    let back = open(&written).unwrap();
    for name in NAMES {
        assert!(!shown.contains(name) && !back.text.contains(name), "{name}");
    }
    assert!(
        shown.contains("Date: Sun, 1 Mar 2020 00:00:00 +0000") && shown.contains("attachment-1.rtf"),
        "{shown}"
    );
    assert_eq!(back.text, new);
}

#[test]
fn bombs_lies_and_damage_are_refused() {
    let part = |kind: &str, name: &str, bytes: &[u8]| {
        let body = inside::to_base64(bytes);
        format!(
            "Subject: a\r\nMIME-Version: 1.0\r\nContent-Type: {kind}\r\nContent-Disposition: attachment; filename=\"{name}\"\r\n\
             Content-Transfer-Encoding: base64\r\n\r\n{body}\r\n"
        )
    };
    let deep = |n: usize| {
        let open = |i: usize| format!("Content-Type: multipart/mixed; boundary=b{i}\r\n\r\n--b{i}\r\n");
        format!("Subject: a\r\n{}Content-Type: text/plain\r\n\r\nx\r\n", (0..n).map(open).collect::<String>())
    };
    let many = "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n".repeat(5000);
    for mail in [
        part("text/plain", "a.pdf", b"Mme Kervadec"),
        part("application/pdf", "a.pdf", b"{\\rtf1 Kervadec}"),
        part("image/png", "a.png", b"{\\rtf1 Kervadec}"),
        part("application/octet-stream", "a.bin", b"\0\x01\x02Kervadec"),
        part("application/zip", "a.zip", b"PK\x03\x04Kervadec"),
        part("text/calendar", "a.ics", b"BEGIN:VCALENDAR\nSUMMARY:Kervadec\n"),
        "Subject: a\r\nContent-Type: multipart/encrypted; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n".into(),
        deep(20),
        format!("Subject: a\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{many}--b--\r\n"),
        "Content-Type: message/rfc822\r\n\r\n".repeat(100_000),
    ] {
        let why = open(mail.as_bytes()).err().map(|why| why.to_string());
        assert!(why.as_ref().is_some_and(|why| !why.contains("Kervadec")), "{why:?}: {mail:.80}");
    }
    let whole = message();
    for at in (0..whole.len()).step_by(11) {
        if let Ok(opened) = open(&whole.as_bytes()[..at]) {
            let (new, spans) = replaced(&opened.text);
            let _ = opened.way.write(&new, &spans);
        }
    }
}

#[test]
fn display_names_are_cut_into_their_parts() {
    for (name, family) in [
        ("Dr Aldegonde KERVADEC", vec!["KERVADEC"]),
        ("Kervadec, Aldegonde", vec!["Kervadec"]),
        ("Aldegonde Le Goff", vec!["Le", "Goff"]),
        ("Kervadec", vec!["Kervadec"]),
    ] {
        let parts = name_parts(name);
        let found: Vec<&str> =
            parts.iter().filter(|(_, l)| *l == Label::FamilyName).map(|(r, _)| &name[r.clone()]).collect();
        assert_eq!(found, family, "{name}");
    }
    assert_eq!(name_parts("a@b.fr"), [(0..6, Label::Email)]);
}

#[test]
fn a_pdf_attached_comes_back_as_a_pdf() {
    let letter = inside::to_base64(include_bytes!("../../../taire-cli/tests/office/lettre.pdf"));
    let mail = format!(
        "Subject: a\r\nMIME-Version: 1.0\r\nContent-Type: application/pdf\r\n\
         Content-Disposition: attachment; filename=\"ESCOUBES.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\n{letter}\r\n"
    );
    let opened = open(mail.as_bytes()).unwrap();
    let swaps = [("ESCOUBÈS", "DE LA TOUR"), ("Escoubès", "de la Tour"), ("Philomène", "Zoé")];
    let (new, spans) = replace_all(&opened.text, &swaps);
    let written = opened.way.write(&new, &spans).unwrap();
    let shown = String::from_utf8_lossy(&written);
    assert!(shown.contains("application/pdf") && shown.contains("attachment-1.pdf"), "{shown:.400}");
    let back = open(&written).unwrap();
    assert!(back.text.contains("DE LA TOUR") && !back.text.contains("Philomène"));
}
