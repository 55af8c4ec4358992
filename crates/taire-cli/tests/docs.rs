//! The pages of the book that the program itself tells: every command's help, every label. They are compared with what
//! is committed; `TAIRE_BLESS=1` (set by `cargo xtask docs`) writes them instead.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use taire_text::Label;

fn page(name: &str, content: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src").join(name);
    if std::env::var_os("TAIRE_BLESS").is_some() {
        fs::write(&path, content).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    assert!(committed == content, "docs/book/src/{name} is stale; `cargo xtask docs` writes it again");
}

fn help(words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taire"));
    let output = command.args(words).arg("--help").env_remove("TAIRE_KEY_FILE").output().unwrap();
    assert!(output.status.success(), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn describe(words: &[&str], out: &mut String) {
    let text = help(words);
    let title = if words.is_empty() { "taire".to_owned() } else { format!("taire {}", words.join(" ")) };
    let _ = write!(out, "\n## {title}\n\n```text\n{}\n```\n", text.trim_end());
    let below =
        text.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for name in below
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split([' ', ',']).find(|word| !word.is_empty()))
    {
        if name != "help" {
            describe(&[words, &[name]].concat(), out);
        }
    }
}

#[test]
fn every_command_is_described_as_the_program_does() {
    let mut out = "# Commands\n\nWhat `taire COMMAND --help` prints.\n".to_owned();
    describe(&[], &mut out);
    assert!(out.contains("## taire deid\n") && out.contains("## taire key new\n"));
    page("commands.md", &out);
}

#[test]
fn every_key_of_a_policy_is_described() {
    let out = taire::policy_reference().unwrap();
    assert!(out.contains("## extends\n") && out.contains("## rewrite.labels.LABEL\n"));
    page("policy-keys.md", &out);
}

#[test]
fn every_label_is_described() {
    let mut out = "# Labels\n\nWhat a stretch of text can be. Names, numbers and addresses also have a role where it is known: \
         `Patient`, `Caregiver`, `Relative`, `Unknown`. `--scheme meddocan|eds|hipaa|bigeard|hnfc` writes the labels of another scheme, with its \
         borders.\n\n| label | group | what it is |\n|---|---|---|\n"
        .to_owned();
    for &label in Label::ALL {
        let _ = writeln!(out, "| `{label}` | {} | {} |", label.group(), about(label));
    }
    page("labels.md", &out);
}

fn about(label: Label) -> &'static str {
    use Label::*;
    match label {
        GivenName => "a given name, also a nickname or a mistyped one",
        FamilyName => "a family name, by birth or by marriage",
        Initials => "letters that stand for somebody's name: *Mme K.*, *F.S.*",
        Date => "a day, month, season or year, however it is written",
        BirthDate => "the day or year somebody was born",
        Age => "an age; above 89 it may identify by itself",
        RelativeDate => "a time told from another: *il y a 15 ans*, *desde hace 3 días*",
        Street => "street, number, floor, building, hamlet",
        PostalCode => "a postal code",
        City => "a town or village",
        Region => "a province, department, county or region",
        Country => "a country; also where it tells an origin",
        Hospital => "a hospital or clinic by its name",
        HealthCentre => "a health centre or surgery",
        Institution => "a school, employer, home, association, firm",
        Phone => "a telephone number",
        Fax => "a fax number",
        Email => "an e-mail address",
        Url => "a web address",
        IpAddress => "an address of a machine in a network",
        PatientId => "the number of a patient's file: IPP, NHC, CIP",
        VisitId => "the number of a stay, an episode or a sample",
        SocialSecurity => "a national or social security number: NIR, DNI, NASS",
        HealthPlan => "the number of an insurance policy",
        ProfessionalLicence => "the number of a professional: RPPS, ADELI, nº colegiado",
        EmployeeId => "the number of an employee",
        AccountNumber => "a bank account",
        VehicleId => "a number plate or chassis number",
        DeviceId => "the serial number of an implant or a device",
        OtherId => "another number or code that leads to a person",
        Sex => "the sex, where a policy asks for it",
        Kinship => "how somebody is related to the patient",
        Profession => "what somebody works as",
        OtherDetail => "another detail that singles somebody out",
    }
}
