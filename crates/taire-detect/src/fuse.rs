//! Fusion: the mentions of all detectors in, disjoint entities out.
//!
//! Generalises the two-detector procedure of Tchouka et al. (2022, §3.4.3). One mention is enough: a missed
//! identifier costs more than a lost word. Mentions that agree make one entity that covers them all. Where labels
//! differ, the source that is more reliable for that label wins; what the loser covers beyond the winner stays
//! covered. A `Clear` mention removes the mentions inside its span that have a lower score.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use taire_text::{Entity, Label, Mention, Raw, Role, Score, Source, SourceSet, Span, Verdict};

/// Which source to believe for which label, and the score from which a mention counts.
#[derive(Clone, Debug, PartialEq)]
pub struct FusionRule {
    /// `rank[label][source]`: lower is more reliable.
    rank: Vec<[u8; Source::ALL.len()]>,
    /// The score from which a mention counts, by label.
    thresholds: Vec<Score>,
    /// The same, by source.
    source_thresholds: [Score; Source::ALL.len()],
}

impl Default for FusionRule {
    fn default() -> Self {
        use Source::*;
        FusionRule::new(
            Score::new(0.5),
            &[
                Reviewer,
                Metadata,
                Structure,
                Student,
                Crf,
                Transformer,
                Pattern,
                Initials,
                Lexicon,
                Trusted,
                AllowList,
            ],
        )
    }
}

impl FusionRule {
    /// The same order of sources for every label; sources left out come last.
    pub fn new(threshold: Score, order: &[Source]) -> Self {
        let labels = Label::ALL.len();
        let mut rule = FusionRule {
            rank: vec![[u8::MAX; Source::ALL.len()]; labels],
            thresholds: vec![threshold; labels],
            source_thresholds: [Score::new(0.0); Source::ALL.len()],
        };
        for &label in Label::ALL {
            rule.set(label, order);
        }
        rule
    }

    /// The order of sources for one label.
    pub fn set(&mut self, label: Label, order: &[Source]) {
        let row = &mut self.rank[label.index()];
        *row = [u8::MAX; Source::ALL.len()];
        for (i, source) in order.iter().enumerate() {
            row[source.index()] = i as u8;
        }
    }

    /// The score from which a mention of one label counts.
    pub fn set_threshold(&mut self, label: Label, threshold: Score) {
        self.thresholds[label.index()] = threshold;
    }

    /// The score from which a mention of one source counts, whatever its label.
    pub fn set_source_threshold(&mut self, source: Source, threshold: Score) {
        self.source_thresholds[source.index()] = threshold;
    }

    fn reaches_threshold(&self, mention: &Mention) -> bool {
        let of_source = self.source_thresholds[mention.source.index()];
        let least = |label: Label| self.thresholds[label.index()].max(of_source);
        mention.label().is_some_and(|label| mention.score >= least(label))
    }

    fn rank(&self, label: Label, source: Source) -> u8 {
        self.rank[label.index()][source.index()]
    }
}

/// A mention with a lower score yields to one with a higher score, whatever their sources.
const DOUBTFUL: f32 = 0.6;

/// An entity of these labels absorbs the mentions inside its span: the town in a hospital's name, the person in a
/// street's, the name in a mail address.
fn absorbs_inner_mentions(label: Label) -> bool {
    use Label::*;
    matches!(label, Street | Hospital | HealthCentre | Institution | Email | Url)
}

/// A label that says more than another about the same text.
fn refines(label: Label, other: Label) -> bool {
    use Label::*;
    matches!((label, other), (BirthDate, Date) | (Fax, Phone))
        || (other == OtherId && label.group() == OtherId.group() && label != OtherId)
        || (other == OtherId && matches!(label, Phone | Fax | Date | BirthDate | PostalCode))
}

/// Decides. Pure: the same mentions in any order give the same entities, disjoint and sorted by position.
pub fn fuse(text: &str, mentions: &[Mention], rule: &FusionRule) -> Vec<Entity> {
    let clear: Vec<(Span<Raw>, Score)> = {
        let mut clear: Vec<_> =
            mentions.iter().filter(|m| m.verdict == Verdict::Clear).map(|m| (m.span, m.score)).collect();
        clear.sort_by_key(|&(span, _)| span);
        clear
    };
    let counts = |m: &&Mention| !m.span.is_empty() && rule.reaches_threshold(m) && !is_cleared(m, &clear);
    let mut mentions: Vec<&Mention> = mentions.iter().filter(counts).collect();
    mentions.sort_by(|a, b| order(a, b, rule));

    let mut claimed = Claims::default();
    for mention in mentions {
        claimed.add(text, mention);
    }
    claimed.into_entities()
}

/// Candidates left in the text: mentions below their threshold or cleared, where there is no entity. Mentions of the
/// same text make one candidate.
pub fn candidates_below_threshold(
    text: &str,
    mentions: &[Mention],
    entities: &[Entity],
    rule: &FusionRule,
) -> Vec<Entity> {
    let free = |m: &Mention| {
        let next = entities.partition_point(|e| e.span.end() <= m.span.start());
        entities.get(next).is_none_or(|e| !e.span.overlaps(m.span))
    };
    let left: Vec<Mention> = mentions.iter().filter(|m| m.label().is_some() && free(m)).cloned().collect();
    if left.is_empty() {
        return Vec::new();
    }
    let without_thresholds = FusionRule {
        rank: rule.rank.clone(),
        thresholds: vec![Score::new(0.0); Label::ALL.len()],
        source_thresholds: [Score::new(0.0); Source::ALL.len()],
    };
    fuse(text, &left, &without_thresholds)
}

/// Adds to each entity the overruled mentions of its text, so that `explain` can show them: `Clear` mentions, whether
/// or not they won, and mentions below their threshold.
pub fn attach_overruled_mentions(entities: &mut [Entity], mentions: &[Mention], rule: &FusionRule) {
    for mention in mentions.iter().filter(|m| !rule.reaches_threshold(m)) {
        let mut at = entities.partition_point(|e| e.span.end() <= mention.span.start());
        while let Some(entity) = entities.get_mut(at).filter(|e| e.span.overlaps(mention.span)) {
            if !entity.has_recent_mention(mention) {
                entity.mentions.push(mention.clone());
            }
            at += 1;
        }
    }
}

fn is_cleared(mention: &Mention, clear: &[(Span<Raw>, Score)]) -> bool {
    let until = clear.partition_point(|(span, _)| span.start() <= mention.span.start());
    clear[..until]
        .iter()
        .rev()
        .take(64)
        .any(|&(span, score)| span.contains(mention.span) && score > mention.score)
}

/// Strongest mention first. Every field takes part, so that the result does not depend on the order of detectors.
fn order(a: &Mention, b: &Mention, rule: &FusionRule) -> Ordering {
    let (la, lb) = (label_of(a), label_of(b));
    class(a, la)
        .cmp(&class(b, lb))
        .then_with(|| is_doubtful(a).cmp(&is_doubtful(b)))
        .then_with(|| rule.rank(la, a.source).cmp(&rule.rank(lb, b.source)))
        .then_with(|| b.score.get().total_cmp(&a.score.get()))
        .then_with(|| b.span.len().cmp(&a.span.len()))
        .then_with(|| a.span.cmp(&b.span))
        .then_with(|| la.cmp(&lb))
        .then_with(|| a.source.cmp(&b.source))
        .then_with(|| a.role.cmp(&b.role))
        .then_with(|| a.why.cmp(&b.why))
}

/// A reviewer's mention first, then labels that absorb others, and numbers of unknown kind last.
fn class(m: &Mention, label: Label) -> u8 {
    match (m.source, label) {
        (Source::Reviewer, _) => 0,
        (_, Label::OtherId) => 3,
        (_, label) if absorbs_inner_mentions(label) && m.score.get() >= 0.5 => 1,
        _ => 2,
    }
}

/// A doubtful mention comes after sure ones, however reliable its source is.
fn is_doubtful(m: &Mention) -> bool {
    m.score.get() < DOUBTFUL
}

fn label_of(m: &Mention) -> Label {
    m.label().unwrap_or(Label::OtherDetail)
}

/// Disjoint entities in the making, by start.
#[derive(Default)]
struct Claims(BTreeMap<usize, Entity>);

impl Claims {
    fn add(&mut self, text: &str, mention: &Mention) {
        let label = label_of(mention);
        let overlapped: Vec<usize> = self.overlapping(mention.span);
        if overlapped.is_empty() {
            if has_letter_or_digit(mention.span, text) {
                self.claim(mention.span, mention);
            }
            return;
        }
        let mut free = vec![mention.span];
        let mut agreeing = None;
        for &start in &overlapped {
            let Some(claim) = self.0.get_mut(&start) else { continue };
            let last = free.pop().unwrap_or(mention.span);
            if last.start() < claim.span.start() {
                free.push(Span::new(last.start(), claim.span.start()));
            }
            free.push(Span::new(claim.span.end().min(mention.span.end()), mention.span.end()));
            if refines(label, claim.label) {
                claim.label = label;
            }
            if claim.label == label || refines(claim.label, label) {
                claim.add_mention(mention);
                agreeing.get_or_insert(start);
            } else {
                claim.mentions.push(mention.clone());
            }
        }
        free.retain(|&piece| has_letter_or_digit(piece, text));
        match agreeing {
            Some(start) => free.into_iter().for_each(|piece| self.extend(start, piece, text, mention)),
            None => {
                free.into_iter().for_each(|piece| self.claim(trimmed(piece, mention.span, text), mention))
            }
        }
    }

    fn overlapping(&self, span: Span<Raw>) -> Vec<usize> {
        let before = self.0.range(..span.start()).next_back().filter(|(_, e)| e.span.overlaps(span));
        before.into_iter().chain(self.0.range(span.start()..span.end())).map(|(&start, _)| start).collect()
    }

    /// A piece that an agreeing mention adds: glued to a claim of the same label that it touches, else on its own.
    fn extend(&mut self, agreeing: usize, piece: Span<Raw>, text: &str, mention: &Mention) {
        let label = self.0.get(&agreeing).map_or(label_of(mention), |e| e.label);
        let left = self
            .0
            .range(..piece.start())
            .next_back()
            .filter(|(_, e)| e.span.end() == piece.start() && e.label == label);
        if let Some((&start, _)) = left {
            let Some(mut entity) = self.0.remove(&start) else { return };
            entity.span = entity.span.union(piece);
            if self.0.get(&piece.end()).is_some_and(|e| e.label == label)
                && let Some(next) = self.0.remove(&piece.end())
            {
                entity.absorb(next);
            }
            self.0.insert(start, entity);
        } else if self.0.get(&piece.end()).is_some_and(|e| e.label == label)
            && let Some(mut entity) = self.0.remove(&piece.end())
        {
            entity.span = entity.span.union(piece);
            self.0.insert(piece.start(), entity);
        } else {
            self.claim(trimmed(piece, mention.span, text), mention);
        }
    }

    fn claim(&mut self, span: Span<Raw>, mention: &Mention) {
        let entity = Entity {
            span,
            label: label_of(mention),
            role: mention.role,
            score: mention.score,
            sources: SourceSet::from_iter([mention.source]),
            doubtful_value: false,
            mentions: vec![mention.clone()],
        };
        self.0.insert(span.start(), entity);
    }

    fn into_entities(self) -> Vec<Entity> {
        self.0.into_values().collect()
    }
}

fn has_letter_or_digit(piece: Span<Raw>, text: &str) -> bool {
    piece.of(text).chars().any(char::is_alphanumeric)
}

/// A piece cut off by another entity loses the blanks and marks at its cut ends.
fn trimmed(piece: Span<Raw>, whole: Span<Raw>, text: &str) -> Span<Raw> {
    if piece == whole {
        return piece;
    }
    let inside = piece.of(text);
    let start = inside.find(char::is_alphanumeric).unwrap_or(0);
    let end = inside
        .rfind(char::is_alphanumeric)
        .map_or(inside.len(), |i| i + inside[i..].chars().next().map_or(0, char::len_utf8));
    let left = if piece.start() == whole.start() { 0 } else { start };
    let right = if piece.end() == whole.end() { inside.len() } else { end };
    Span::new(piece.start() + left, piece.start() + right.max(left))
}

/// How mentions and neighbours are merged into an entity.
trait MergeMentions {
    fn add_mention(&mut self, mention: &Mention);
    fn absorb(&mut self, other: Entity);
    fn has_recent_mention(&self, mention: &Mention) -> bool;
}

/// How many mentions of an entity, the last ones, are compared with a new one. Only a text that is one endless entity
/// has more.
const RECENT_MENTIONS: usize = 256;

impl MergeMentions for Entity {
    fn has_recent_mention(&self, mention: &Mention) -> bool {
        self.mentions[self.mentions.len().saturating_sub(RECENT_MENTIONS)..].contains(mention)
    }

    fn add_mention(&mut self, mention: &Mention) {
        self.score = if self.sources.contains(mention.source) {
            self.score.max(mention.score)
        } else {
            self.score.either(mention.score)
        };
        self.sources.insert(mention.source);
        if self.role == Role::Unknown {
            self.role = mention.role;
        }
        self.mentions.push(mention.clone());
    }

    fn absorb(&mut self, other: Entity) {
        self.span = self.span.union(other.span);
        self.score = self.score.max(other.score);
        self.sources = self.sources.iter().chain(other.sources.iter()).collect();
        if self.role == Role::Unknown {
            self.role = other.role;
        }
        for mention in other.mentions {
            if !self.has_recent_mention(&mention) {
                self.mentions.push(mention);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "Dr Jean DURAND du CHU de Bordeaux, 33000 Bordeaux";

    fn says(part: &str, label: Label, score: f32, source: Source) -> Mention {
        let at = TEXT.find(part).expect("the part is in the text");
        Mention::phi(Span::new(at, at + part.len()), label, score, source, "test")
    }

    fn decided(mentions: Vec<Mention>) -> Vec<(&'static str, Label)> {
        fuse(TEXT, &mentions, &FusionRule::default()).iter().map(|e| (e.span.of(TEXT), e.label)).collect()
    }

    #[test]
    fn one_mention_is_enough_and_agreement_raises_the_score() {
        let one = says("DURAND", Label::FamilyName, 0.6, Source::Lexicon);
        let two = says("DURAND", Label::FamilyName, 0.6, Source::Crf);
        assert_eq!(decided(vec![one.clone()]), [("DURAND", Label::FamilyName)]);
        let both = fuse(TEXT, &[one, two], &FusionRule::default());
        assert!(both[0].score.get() > 0.8 && both[0].mentions.len() == 2);
    }

    #[test]
    fn the_more_reliable_source_settles_the_label_and_the_union_stays_covered() {
        let rule = vec![
            says("Jean DURAND", Label::FamilyName, 0.9, Source::Lexicon),
            says("Jean", Label::GivenName, 0.8, Source::Structure),
        ];
        assert_eq!(decided(rule), [("Jean", Label::GivenName), ("DURAND", Label::FamilyName)]);
        let grow = vec![
            says("DURAND", Label::FamilyName, 0.9, Source::Structure),
            says("Jean DURAND", Label::FamilyName, 0.9, Source::Lexicon),
        ];
        assert_eq!(decided(grow), [("Jean DURAND", Label::FamilyName)]);
    }

    #[test]
    fn a_hospital_keeps_its_town() {
        let m = vec![
            says("Bordeaux", Label::City, 0.99, Source::Metadata),
            says("CHU de Bordeaux", Label::Hospital, 0.7, Source::Lexicon),
        ];
        assert_eq!(decided(m), [("CHU de Bordeaux", Label::Hospital)]);
    }

    #[test]
    fn a_nameless_number_takes_the_better_label() {
        let m = vec![
            says("33000", Label::OtherId, 0.9, Source::Pattern),
            says("33000", Label::PostalCode, 0.6, Source::Lexicon),
        ];
        assert_eq!(decided(m), [("33000", Label::PostalCode)]);
    }

    #[test]
    fn clear_removes_weaker_mentions_only() {
        let at = TEXT.find("DURAND").unwrap();
        let clear = Mention::clear(Span::new(at, at + 6), 0.7, Source::Lexicon, "eponym");
        assert_eq!(decided(vec![says("DURAND", Label::FamilyName, 0.6, Source::Lexicon), clear.clone()]), []);
        assert_eq!(
            decided(vec![says("DURAND", Label::FamilyName, 0.9, Source::Metadata), clear]),
            [("DURAND", Label::FamilyName)]
        );
    }

    proptest! {
        #[test]
        fn entities_are_disjoint_sorted_and_cover_every_strong_mention(
            spans in prop::collection::vec((0usize..40, 1usize..9, 0usize..34, 0usize..10, 0.5f32..1.0), 0..24),
            rotate in 0usize..24,
        ) {
            let text = "abcdefghij klmnopqrst uvwxyz0123 456789abcd efghijk";
            let mut mentions: Vec<_> = spans
                .iter()
                .map(|&(s, n, l, src, score)| {
                    Mention::phi(Span::new(s, s + n), Label::ALL[l], score, Source::ALL[src], "test")
                })
                .collect();
            let entities = fuse(text, &mentions, &FusionRule::default());
            for pair in entities.windows(2) {
                prop_assert!(pair[0].span.end() <= pair[1].span.start());
            }
            for m in &mentions {
                for at in m.span.range().filter(|&i| text.as_bytes()[i].is_ascii_alphanumeric()) {
                    prop_assert!(entities.iter().any(|e| e.span.range().contains(&at)));
                }
            }
            if !mentions.is_empty() {
                let n = rotate % mentions.len();
                mentions.rotate_left(n);
            }
            let again = fuse(text, &mentions, &FusionRule::default());
            let spans = |es: &[Entity]| es.iter().map(|e| (e.span, e.label)).collect::<Vec<_>>();
            prop_assert_eq!(spans(&entities), spans(&again));
        }
    }
}
