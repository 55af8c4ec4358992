//! Originals are revealed to those who hold the key, and to nobody else.

use std::path::{Path, PathBuf};

use taire_surrogate::SecretKey;
use taire_vault::{Entry, Sealed, Vault};

fn key(seed: u8) -> SecretKey {
    SecretKey::from_bytes(&[seed; 32]).unwrap()
}

fn entry<'a>(surrogate: &'a str, original: &'a str, patient: Option<&'a str>) -> Entry<'a> {
    Entry {
        label: "FamilyName",
        surrogate,
        original,
        patient,
        patient_surrogate: patient.map(|_| "990001"),
        document: "lettre-1",
    }
}

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Bench { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("vault")
    }

    fn filled(&self) -> Vault {
        let mut vault = Vault::open_or_create(&self.path(), &key(1)).unwrap();
        let seal = |e: Entry<'_>| vault.sealer().seal(&e).unwrap();
        let sealed: Vec<Sealed> = vec![
            seal(entry("SAUVAGET", "KERVADEC", Some("800417"))),
            seal(entry("Sauvaget", "Trévidic", Some("800999"))),
            seal(entry("Mercier", "Le Goff", None)),
        ];
        vault.add(sealed).unwrap();
        vault.commit().unwrap();
        vault
    }
}

fn originals(vault: &mut Vault, surrogate: &str, patient: Option<&str>) -> Vec<String> {
    let found = vault.reveal(surrogate, patient, "rappel d'un implant").unwrap();
    found.into_iter().map(|r| r.original).collect()
}

fn shell(path: &Path, sql: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn surrogates_lead_back_also_in_another_case() {
    let bench = Bench::new();
    drop(bench.filled());
    let mut vault = Vault::open(&bench.path(), &key(1)).unwrap();
    assert_eq!(originals(&mut vault, "sauvaget ", None), ["KERVADEC", "Trévidic"]);
    assert_eq!(originals(&mut vault, "Sauvaget", Some("800417")), ["KERVADEC"]);
    assert_eq!(originals(&mut vault, "Sauvaget", Some("1")), [""; 0]);
    let alone = vault.reveal("Mercier", None, "rappel").unwrap();
    assert_eq!((alone[0].document.as_deref(), &alone[0].patient), (Some("lettre-1"), &None));
}

#[test]
fn the_same_entry_is_kept_once() {
    let bench = Bench::new();
    drop(bench.filled());
    let vault = bench.filled();
    assert_eq!(vault.len().unwrap(), 3);
}

#[test]
fn another_key_opens_nothing() {
    let bench = Bench::new();
    drop(bench.filled());
    let said = Vault::open(&bench.path(), &key(2)).unwrap_err().to_string();
    assert!(said.contains("does not open this vault"), "{said}");
    assert!(Vault::open_or_create(&bench.path(), &key(2)).is_err());
}

#[test]
fn the_file_shows_neither_originals_nor_surrogates() {
    let bench = Bench::new();
    let mut vault = bench.filled();
    originals(&mut vault, "Sauvaget", None);
    drop(vault);
    for file in std::fs::read_dir(bench.folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap().to_ascii_lowercase();
        let text = String::from_utf8_lossy(&bytes);
        for word in [
            "kervadec",
            "sauvaget",
            "trévidic",
            "vidic",
            "mercier",
            "le goff",
            "8004",
            "9900",
            "lettre",
            "familyname",
        ] {
            assert!(!text.contains(word), "the vault shows `{word}`");
        }
    }
    let two = |bench: &Bench| std::fs::read(bench.path()).unwrap();
    let other = Bench::new();
    drop(other.filled());
    assert_ne!(two(&bench), two(&other), "two vaults must not be alike");
}

#[cfg(unix)]
#[test]
fn only_its_owner_reads_it() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    drop(bench.filled());
    assert_eq!(std::fs::metadata(bench.path()).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(bench.path(), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(Vault::open(&bench.path(), &key(1)).unwrap_err().to_string().contains("chmod 600"));
}

#[test]
fn a_changed_or_moved_entry_does_not_open() {
    for sql in [
        "UPDATE entries SET sealed = zeroblob(length(sealed))",
        "UPDATE entries SET nonce = zeroblob(24)",
        "UPDATE entries SET id = randomblob(16)",
        "UPDATE entries SET nonce = zeroblob(3)",
        "UPDATE entries SET sealed = x''",
    ] {
        let bench = Bench::new();
        drop(bench.filled());
        shell(&bench.path(), sql);
        let mut vault = Vault::open(&bench.path(), &key(1)).unwrap();
        let said = vault.reveal("Sauvaget", None, "rappel").unwrap_err().to_string();
        assert!(said.contains("was changed"), "{sql}: {said}");
    }
    // An entry laid under the lookup of another surrogate.
    let bench = Bench::new();
    drop(bench.filled());
    let vault = Vault::open(&bench.path(), &key(1)).unwrap();
    let sealed = vault.sealer().seal(&entry("Autre", "X", None)).unwrap();
    drop((vault, sealed));
    shell(&bench.path(), "UPDATE OR IGNORE entries SET lookup = (SELECT max(lookup) FROM entries)");
    let mut vault = Vault::open(&bench.path(), &key(1)).unwrap();
    let asked = ["Sauvaget", "Mercier"].map(|s| vault.reveal(s, None, "rappel"));
    assert!(asked.iter().any(|a| a.is_err()));
}

#[test]
fn questions_go_on_record_and_a_removed_line_shows() {
    let bench = Bench::new();
    let mut vault = bench.filled();
    for patient in [None, Some("800417"), Some("nobody")] {
        originals(&mut vault, "Sauvaget", patient);
    }
    let lines = vault.audit().unwrap();
    assert_eq!(lines.iter().map(|l| (l.number, l.results)).collect::<Vec<_>>(), [(1, 2), (2, 1), (3, 0)]);
    assert!(lines.iter().all(|l| l.reason == "rappel d'un implant" && l.time.ends_with('Z')));
    assert!(vault.reveal("Sauvaget", None, " ").unwrap_err().to_string().contains("reason"));
    drop(vault);
    let whole = std::fs::read(bench.path()).unwrap();
    for sql in [
        "DELETE FROM audit WHERE number = 1",
        "DELETE FROM audit WHERE number = 3",
        "DELETE FROM audit",
        "UPDATE audit SET reason = 'autre' WHERE number = 2",
        "UPDATE audit SET results = 0",
        "INSERT INTO audit SELECT 4, time, user, reason, about, results, chain FROM audit WHERE number = 3",
        "DELETE FROM meta WHERE name = 'audit'",
    ] {
        std::fs::write(bench.path(), &whole).unwrap();
        shell(&bench.path(), sql);
        let mut vault = Vault::open(&bench.path(), &key(1)).unwrap();
        assert!(vault.audit().unwrap_err().to_string().contains("line is missing"), "{sql}");
        assert!(vault.reveal("Sauvaget", None, "rappel").is_err(), "{sql}");
    }
}

#[test]
fn without_a_record_nothing_is_revealed() {
    let bench = Bench::new();
    drop(bench.filled());
    shell(
        &bench.path(),
        "CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'KERVADEC'); END",
    );
    let mut vault = Vault::open(&bench.path(), &key(1)).unwrap();
    let said = vault.reveal("Sauvaget", None, "rappel").unwrap_err().to_string();
    assert!(said.contains("nothing is revealed") && !said.contains("KERVADEC"), "{said}");
}

#[test]
fn many_threads_seal_and_one_writes() {
    let bench = Bench::new();
    let mut vault = Vault::open_or_create(&bench.path(), &key(1)).unwrap();
    let sealer = vault.sealer().clone();
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for t in 0..4 {
            let (send, sealer) = (send.clone(), &sealer);
            scope.spawn(move || {
                for i in 0..3000 {
                    let (surrogate, original) = (format!("s{t}-{i}"), format!("o{t}-{i}"));
                    send.send(sealer.seal(&entry(&surrogate, &original, Some("p"))).unwrap()).unwrap();
                }
            });
        }
        drop(send);
        receive.iter().for_each(|sealed| vault.add([sealed]).unwrap());
    });
    vault.commit().unwrap();
    assert_eq!(vault.len().unwrap(), 12_000);
    assert_eq!(originals(&mut vault, "S3-2999", Some("p")), ["o3-2999"]);
}

#[test]
fn a_vault_is_not_emptied_by_one_question() {
    let bench = Bench::new();
    let mut vault = Vault::open_or_create(&bench.path(), &key(1)).unwrap();
    for i in 0..101 {
        let (original, patient) = (format!("o{i}"), format!("p{i}"));
        let sealed = vault.sealer().seal(&entry("<PER>", &original, Some(&patient))).unwrap();
        vault.add([sealed]).unwrap();
    }
    assert!(vault.reveal("<PER>", None, "rappel").unwrap_err().to_string().contains("--patient"));
    assert_eq!(originals(&mut vault, "<PER>", Some("p7")), ["o7"]);
}

#[test]
fn another_file_is_no_vault() {
    let bench = Bench::new();
    std::fs::write(bench.path(), "Bonjour, ceci n'est pas un coffre. ".repeat(200)).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(bench.path(), std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    assert!(Vault::open_or_create(&bench.path(), &key(1)).unwrap_err().to_string().contains("not a vault"));
}
