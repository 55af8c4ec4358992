//! The bill of materials: the crates of the program, and the models inside it, as CycloneDX 1.6 JSON.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::packages::{PROGRAM, Package};

/// A model that ships, and its file or files as one.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) sha256: String,
}

/// The bill of a program; `time` in seconds since 1970.
pub(crate) fn bill(packages: &[Package], models: &[Model], version: &str, time: u64) -> Result<String> {
    let program = packages.iter().find(|p| p.name == PROGRAM);
    let program = program.ok_or_else(|| Error::new(format!("{PROGRAM} is none of its own packages")))?;
    let others = packages.iter().filter(|p| p.name != PROGRAM);
    let components: Vec<Value> =
        others.map(component).chain(models.iter().map(|m| model(m, version))).collect();
    let dependencies: Vec<Value> = packages.iter().map(dependency).collect();
    let mut bill = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": crate::timestamp(time)?,
            "tools": { "components": [{ "type": "application", "name": "taire-dist", "version": version }] },
            "component": {
                "type": "application",
                "bom-ref": program.purl(),
                "name": "taire",
                "version": version,
                "purl": program.purl(),
                "licenses": [{ "expression": program.licence }],
            },
        },
        "components": components,
        "dependencies": dependencies,
    });
    bill["serialNumber"] = Value::String(serial_number(&bill));
    let text = serde_json::to_string_pretty(&bill).map_err(|e| Error::new(format!("the SBOM: {e}")))?;
    Ok(text + "\n")
}

/// A UUID (version 8: of the writer's own making) from the rest of the bill, so that the same bill has the same number.
fn serial_number(bill: &Value) -> String {
    let mut bytes: [u8; 16] = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(bill.to_string())[..16]);
    bytes[6] = 0x80 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    let hex = crate::digest::hex(&bytes);
    format!("urn:uuid:{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

fn component(package: &Package) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": package.purl(),
        "name": package.name,
        "version": package.version,
        "scope": "required",
        "licenses": [{ "expression": package.licence }],
        "purl": package.purl(),
    });
    if let Some(description) = &package.description {
        component["description"] = json!(description);
    }
    if let Some(checksum) = &package.checksum {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    if let Some(address) = &package.repository {
        component["externalReferences"] = json!([{ "type": "vcs", "url": address }]);
    }
    component
}

fn model(model: &Model, version: &str) -> Value {
    json!({
        "type": "machine-learning-model",
        "bom-ref": format!("model:{}", model.name),
        "name": model.name,
        "version": version,
        "description": model.description,
        "hashes": [{ "alg": "SHA-256", "content": model.sha256 }],
    })
}

fn dependency(package: &Package) -> Value {
    let below: Vec<String> = package
        .depends_on
        .iter()
        .map(|(name, version)| format!("pkg:cargo/{name}@{}", version.replace('+', "%2B")))
        .collect();
    json!({ "ref": package.purl(), "dependsOn": below })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn model() -> Model {
        Model { name: "student", description: "a network", sha256: "a".repeat(64) }
    }

    #[test]
    fn has_what_the_specification_requires() {
        let packages = crate::packages::linked(&crate::root(), "x86_64-unknown-linux-gnu").unwrap();
        let text = bill(&packages, &[model()], "0.1.0", 1_700_000_000).unwrap();
        let bill: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&bill["bomFormat"], &bill["specVersion"]), (&json!("CycloneDX"), &json!("1.6")));
        assert_eq!(bill["metadata"]["timestamp"], "2023-11-14T22:13:20Z");
        let serial = bill["serialNumber"].as_str().unwrap();
        assert_eq!(serial.len(), "urn:uuid:".len() + 36);
        let mut references = BTreeSet::from([bill["metadata"]["component"]["bom-ref"].as_str().unwrap()]);
        for component in bill["components"].as_array().unwrap() {
            let kind = component["type"].as_str().unwrap();
            assert!(["library", "machine-learning-model"].contains(&kind));
            assert!(!component["name"].as_str().unwrap().is_empty());
            assert!(references.insert(component["bom-ref"].as_str().unwrap()), "references are unique");
            for hash in component["hashes"].as_array().into_iter().flatten() {
                assert_eq!(hash["content"].as_str().unwrap().len(), 64);
            }
        }
        for dependency in bill["dependencies"].as_array().unwrap() {
            assert!(references.contains(dependency["ref"].as_str().unwrap()));
            for below in dependency["dependsOn"].as_array().unwrap() {
                assert!(references.contains(below.as_str().unwrap()), "{below}");
            }
        }
    }

    #[test]
    fn the_same_packages_give_the_same_bytes() {
        let packages = crate::packages::linked(&crate::root(), "x86_64-unknown-linux-gnu").unwrap();
        let make = |time| bill(&packages, &[model()], "0.1.0", time).unwrap();
        assert_eq!(make(5), make(5));
        assert_ne!(make(5), make(6));
    }
}
