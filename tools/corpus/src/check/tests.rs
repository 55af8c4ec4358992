use super::*;

/// The corpus of the repository passes its own check.
#[test]
fn the_corpus_is_whole() {
    let corpus = OpenCorpus::shipped().unwrap();
    let findings = check(&corpus).unwrap();
    let list: Vec<String> = findings.iter().map(Finding::to_string).collect();
    assert!(findings.is_empty(), "{} findings:\n{}", list.len(), list.join("\n"));
}

#[test]
fn every_document_is_written_back_byte_for_byte() {
    let corpus = OpenCorpus::shipped().unwrap();
    for document in corpus.documents.iter().chain(&corpus.untouched) {
        let path = corpus.root.join(format!("{}.md", document.id));
        let source = fs::read_to_string(path).unwrap();
        let body = source.split_once('\n').map_or("", |(_, body)| body);
        assert_eq!(document.to_marked().unwrap(), body, "{}", document.id);
    }
}

fn document(id: &str, body: &str) -> MarkedDocument {
    MarkedDocument::parse(id, Language::Fr, &format!("<!-- kind: note -->\n{body}")).unwrap()
}

fn problems(body: &str) -> Vec<Problem> {
    let mut findings = Vec::new();
    check_document(&document("fr/x/01", body), &mut Allowances::default(), &mut findings);
    findings.into_iter().map(|f| f.problem).collect()
}

#[test]
fn true_errors_are_found() {
    assert_eq!(problems("vu par M. [Keraudren](FamilyName), puis KERAUDREN rappelle"), [Problem::Repeat]);
    assert_eq!(problems("M. [Petit](FamilyName) a un petit appétit"), []);
    assert_eq!(problems("tel 02 98 44 11 02"), [Problem::Unmarked]);
    assert_eq!(problems("vu le 12/03/2019 et le 3 mars"), [Problem::Unmarked, Problem::Unmarked]);
    assert_eq!(problems("M. [Le Gall(FamilyName) revu, Dr Petit](Family Name)"), [Problem::BrokenMark]);
    assert_eq!(problems("M. [Le Gall ](FamilyName)"), [Problem::Edge]);
    assert_eq!(problems("TA 12/8, INR 2,4, classification OMS 2016, 1/2-0-0"), []);
}

#[test]
fn a_template_filled_twice_is_a_near_duplicate() {
    let body = |name: &str, town: &str| {
        format!(
            "Cher confrère, j'ai vu ce jour votre patient M. [{name}](FamilyName), qui vit à [{town}](City) avec sa fille, pour \
             une douleur de l'épaule droite apparue sans traumatisme, qui le réveille la nuit et cède au repos."
        )
    };
    let copies =
        [document("fr/x/01", &body("Quillien", "Brest")), document("fr/x/02", &body("Marzin", "Auray"))];
    let mut findings = Vec::new();
    duplicates::check(copies.iter(), &mut findings);
    assert_eq!(findings.iter().map(|f| f.problem).collect::<Vec<_>>(), [Problem::NearDuplicate]);
    let other = document(
        "fr/x/03",
        "Suites simples après cholécystectomie. Sortie à J2, paracétamol, ablation des fils à J10 par l'infirmière.",
    );
    findings.clear();
    duplicates::check([&copies[0], &other].into_iter(), &mut findings);
    assert!(findings.is_empty());
}

#[test]
fn an_allowance_that_allows_nothing_is_stale() {
    let words = BTreeMap::from([("fr/x/01".to_owned(), vec!["Babinski".to_owned(), "Charcot".to_owned()])]);
    let mut allowances = Allowances { words, used: BTreeSet::new() };
    let mut findings = Vec::new();
    let body = "M. [Babinski](FamilyName), Babinski absent";
    check_document(&document("fr/x/01", body), &mut allowances, &mut findings);
    assert!(findings.is_empty());
    assert_eq!(allowances.stale().len(), 1);
}
