use std::io::Write;

use super::*;
use crate::text_edit::tests::replace_all;

/// A storage of a message under construction.
struct Storage<'c> {
    file: &'c mut cfb::CompoundFile<Cursor<Vec<u8>>>,
    at: PathBuf,
    header: usize,
}

impl Storage<'_> {
    fn put(&mut self, name: &str, bytes: &[u8]) {
        self.file.create_stream(self.at.join(name)).unwrap().write_all(bytes).unwrap();
    }

    fn string(&mut self, tag: u16, text: &str) -> &mut Self {
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        self.put(&stream_name(tag, 0x001F), &bytes);
        self
    }

    fn latin(&mut self, tag: u16, text: &[u8]) -> &mut Self {
        self.put(&stream_name(tag, 0x001E), text);
        self
    }

    fn binary(&mut self, tag: u16, bytes: &[u8]) -> &mut Self {
        self.put(&stream_name(tag, 0x0102), bytes);
        self
    }

    fn numbers(&mut self, list: &[(u16, u64)]) -> &mut Self {
        let mut bytes = vec![0; self.header];
        for (tag, value) in list {
            bytes.extend([3, 0]);
            bytes.extend(tag.to_le_bytes());
            bytes.extend([6, 0, 0, 0]);
            bytes.extend(value.to_le_bytes());
        }
        self.put(PROPERTIES, &bytes);
        self
    }

    fn folder(&mut self, name: &str, header: usize) -> Storage<'_> {
        let at = self.at.join(name);
        self.file.create_storage(&at).unwrap();
        Storage { file: self.file, at, header }
    }
}

fn built(build: impl FnOnce(&mut Storage<'_>)) -> Vec<u8> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    build(&mut Storage { file: &mut file, at: "/".into(), header: 32 });
    file.into_inner().into_inner()
}

/// RTF packed without any reference.
fn packed_rtf(rtf: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for number in [rtf.len() as u32 + 12, rtf.len() as u32, u32::from_le_bytes(*b"LZFu"), 0] {
        out.extend(number.to_le_bytes());
    }
    rtf.chunks(8).for_each(|chunk| {
        out.push(0);
        out.extend(chunk);
    });
    out
}

/// 12 February 2020.
const TIME: u64 = 132_259_410_000_000_000;

fn letter(storage: &mut Storage<'_>) {
    storage
        .numbers(&[(tag::SUBMITTED, TIME), (tag::CODE_PAGE, 1252)])
        .string(tag::SUBJECT, "Mme Escoubès")
        .string(tag::SENDER_NAME, "Dr Hildegarde TRÉPANIER")
        .string(tag::SENDER_SMTP, "h.trepanier@chu.fr")
        .latin(tag::BODY, b"Mme Escoub\xE8s va bien.")
        .string(0x007D, "Received: from escoubes");
    storage
        .folder("__recip_version1.0_#00000000", 8)
        .numbers(&[(tag::RECIPIENT_KIND, 2)])
        .string(tag::DISPLAY_NAME, "Philomène Escoubès")
        .string(tag::SMTP, "ph.escoubes@orange.fr");
}

#[test]
fn a_message_comes_back_as_mail_without_its_people() {
    let inner = built(|message| {
        message.numbers(&[]).string(tag::SUBJECT, "Escoubès, suite");
        message.binary(tag::HTML, "<p>Mme <b>Escoubès</b></p>".as_bytes());
    });
    let bytes = built(|message| {
        letter(message);
        message.binary(tag::RTF, &packed_rtf(b"{\\rtf1\\ansi Mme Escoub\\'e8s}"));
        let mut attached = message.folder("__attach_version1.0_#00000000", 8);
        attached
            .numbers(&[(tag::METHOD, 1)])
            .string(tag::LONG_NAME, "Escoubès.txt")
            .binary(tag::DATA, "Escoubès".as_bytes());
        let mut other = message.folder("__attach_version1.0_#00000001", 8);
        other.numbers(&[(tag::METHOD, 1)]).string(tag::LONG_NAME, "suite.msg").binary(tag::DATA, &inner);
        let mut third = message.folder("__attach_version1.0_#00000002", 8);
        third.numbers(&[(tag::METHOD, 5)]);
        let mut embedded = third.folder(&stream_name(tag::DATA, 0x000D), 24);
        embedded.numbers(&[]).string(tag::BODY, "Escoubès encore");
    });
    assert!(is_message(&bytes));
    let opened = open(&bytes).unwrap();
    for line in [
        "From: Dr Hildegarde TRÉPANIER <h.trepanier@chu.fr>",
        "Cc: Philomène Escoubès <ph.escoubes@orange.fr>",
        "Subject: Mme Escoubès",
        "Date: 2020-02-12",
        "Mme Escoubès va bien.",
        "Subject: Escoubès, suite",
        "Escoubès encore",
    ] {
        assert!(opened.text.contains(line), "{line} in {}", opened.text);
    }
    assert_eq!(opened.text.matches("Escoubès").count(), 8, "{}", opened.text);
    let (new, spans) = replace_all(
        &opened.text,
        &[
            ("Escoubès", "Petit"),
            ("Hildegarde TRÉPANIER", "Anne ROUX"),
            ("h.trepanier@chu.fr", "a.roux@chu.fr"),
            ("ph.escoubes@orange.fr", "b@orange.fr"),
        ],
    );
    let written = opened.way.write(&new, &spans).unwrap();
    assert!(written.starts_with(b"From: "));
    let text = mail::open(&written).unwrap().text;
    assert!(!text.to_lowercase().contains("escoub") && text.contains("Petit"), "{text}");
}

#[test]
fn what_cannot_be_treated_is_refused_without_a_word_of_it() {
    let cases = [
        built(|message| {
            message.numbers(&[]).string(tag::CLASS, "IPM.Appointment").string(tag::SUBJECT, "Escoubès");
        }),
        built(|message| {
            message.numbers(&[]).string(tag::CLASS, "IPM.Note.SMIME").string(tag::SUBJECT, "Escoubès");
        }),
        built(|message| {
            message.numbers(&[]).binary(tag::RTF, b"Escoub");
        }),
        built(|message| {
            letter(message);
            let mut linked = message.folder("__attach_version1.0_#00000000", 8);
            linked.numbers(&[(tag::METHOD, 6)]).string(tag::LONG_NAME, "Escoubès");
        }),
        built(|message| {
            letter(message);
            let mut attached = message.folder("__attach_version1.0_#00000000", 8);
            attached
                .numbers(&[])
                .string(tag::LONG_NAME, "Escoubès.pdf")
                .binary(tag::DATA, "Escoubès".as_bytes());
        }),
        built(|message| message.put("Escoub", b"x")),
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1Escoub".to_vec(),
    ];
    for (i, bytes) in cases.iter().enumerate() {
        let why = open(bytes).map(|_| ()).unwrap_err().to_string();
        assert!(!why.to_lowercase().contains("escoub"), "{i}: {why}");
    }
}

#[test]
fn messages_do_not_nest_without_end() {
    let bytes = built(|message| {
        message.numbers(&[]);
        let mut at = PathBuf::from("/");
        for _ in 0..12 {
            at = at.join("__attach_version1.0_#00000000");
            message.file.create_storage(&at).unwrap();
            Storage { file: message.file, at: at.clone(), header: 8 }.numbers(&[(tag::METHOD, 5)]);
            at = at.join(stream_name(tag::DATA, 0x000D));
            message.file.create_storage(&at).unwrap();
            Storage { file: message.file, at: at.clone(), header: 24 }.numbers(&[]);
        }
    });
    assert!(open(&bytes).map(|_| ()).unwrap_err().to_string().contains("nested"));
}

#[test]
fn packed_rtf_is_unpacked() {
    let rtf = b"{\\rtf1\\ansi Mme Escoub\\'e8s}";
    assert_eq!(unpack_rtf(&packed_rtf(rtf)).unwrap(), rtf);
    // A reference to what the window begins with: `{\rtf1\ansi`.
    let mut packed = Vec::new();
    for number in [0, 11, u32::from_le_bytes(*b"LZFu"), 0] {
        packed.extend(number.to_le_bytes());
    }
    packed.extend([1, 0x00, 0x09]);
    assert_eq!(unpack_rtf(&packed).unwrap(), b"{\\rtf1\\ansi");
    packed[4] = 40;
    assert!(unpack_rtf(&packed).is_err() && unpack_rtf(b"LZFu").is_err());
}
