//! The container image: an OCI image layout in one tar file, written without any daemon.
//!
//! <https://github.com/opencontainers/image-spec>: `oci-layout`, `index.json`, and under `blobs/sha256` a manifest, a
//! configuration and one layer, each named by its digest.

use serde_json::{Value, json};

use crate::digest::sha256;
use crate::error::Result;
use crate::release::Release;
use crate::tree::{READABLE, RUNNABLE, Tree, gzip};

/// A user without rights; `--user` of the container's engine names another.
const USER: &str = "65532:65532";

/// The name of the image's file.
pub(crate) fn file_name(release: &Release) -> String {
    format!("taire-{}-oci.tar", release.version)
}

/// The layout as a tar file.
pub(crate) fn archive(release: &Release) -> Result<Vec<u8>> {
    layout(release)?.to_tar("", release.time)
}

fn layout(release: &Release) -> Result<Tree> {
    let plain = layer(release).to_tar("", release.time)?;
    let packed = gzip(&plain)?;
    let created = crate::timestamp(release.time)?;
    let configuration = to_bytes(&json!({
        "created": created,
        "architecture": "amd64",
        "os": "linux",
        "config": {
            "User": USER,
            "Entrypoint": ["/usr/bin/taire"],
            "Cmd": ["--help"],
            "WorkingDir": "/work",
            "Labels": labels(release),
        },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{}", sha256(&plain))] },
        "history": [{ "created": created, "created_by": "cargo xtask dist" }],
    }));
    let manifest = to_bytes(&json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": descriptor("application/vnd.oci.image.config.v1+json", &configuration),
        "layers": [descriptor("application/vnd.oci.image.layer.v1.tar+gzip", &packed)],
        "annotations": labels(release),
    }));
    let mut entry = descriptor("application/vnd.oci.image.manifest.v1+json", &manifest);
    entry["platform"] = json!({ "architecture": "amd64", "os": "linux" });
    entry["annotations"] = json!({
        "org.opencontainers.image.ref.name": format!("taire:{}", release.version),
        "io.containerd.image.name": format!("docker.io/library/taire:{}", release.version),
    });
    let index = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [entry],
    });
    let mut layout = Tree::default();
    layout.file("oci-layout", READABLE, to_bytes(&json!({ "imageLayoutVersion": "1.0.0" })));
    layout.file("index.json", READABLE, to_bytes(&index));
    for blob in [packed, configuration, manifest] {
        layout.file(&format!("blobs/sha256/{}", sha256(&blob)), READABLE, blob);
    }
    Ok(layout)
}

/// The program, its licences, and the folders that a run needs.
fn layer(release: &Release) -> Tree {
    let mut tree = Tree::default();
    tree.file("usr/bin/taire", RUNNABLE, release.program.clone());
    tree.join("usr/share/doc/taire", &release.documents);
    tree.folder("tmp", 0o1777);
    tree.folder("work", RUNNABLE);
    tree
}

fn labels(release: &Release) -> Value {
    json!({
        "org.opencontainers.image.title": "taire",
        "org.opencontainers.image.version": release.version,
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.description": "De-identification of clinical documents in French and Spanish, offline",
    })
}

fn descriptor(media_type: &str, blob: &[u8]) -> Value {
    json!({ "mediaType": media_type, "digest": format!("sha256:{}", sha256(blob)), "size": blob.len() })
}

fn to_bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::tests::{stand_in, unpack};
    use flate2::read::GzDecoder;
    use std::collections::BTreeMap;
    use std::io::Read;

    fn blob<'a>(files: &BTreeMap<String, &'a [u8]>, descriptor: &Value) -> &'a [u8] {
        let digest = descriptor["digest"].as_str().unwrap().strip_prefix("sha256:").unwrap();
        let bytes = files[&format!("blobs/sha256/{digest}")];
        assert_eq!(sha256(bytes), digest);
        assert_eq!(descriptor["size"], bytes.len());
        bytes
    }

    #[test]
    fn every_digest_leads_to_its_blob_and_the_layer_holds_the_program() {
        let release = stand_in();
        let layout = layout(&release).unwrap();
        let files: BTreeMap<String, &[u8]> =
            layout.files().map(|(path, bytes)| (path.to_owned(), bytes)).collect();
        assert_eq!(files.len(), 5, "layout, index, manifest, configuration, layer");
        let json = |bytes: &[u8]| -> Value { serde_json::from_slice(bytes).unwrap() };
        assert_eq!(json(files["oci-layout"]), json!({ "imageLayoutVersion": "1.0.0" }));
        let manifest = json(blob(&files, &json(files["index.json"])["manifests"][0]));
        let configuration = json(blob(&files, &manifest["config"]));
        let packed = blob(&files, &manifest["layers"][0]);
        let mut plain = Vec::new();
        GzDecoder::new(packed).read_to_end(&mut plain).unwrap();
        assert_eq!(configuration["rootfs"]["diff_ids"][0], format!("sha256:{}", sha256(&plain)));
        assert_eq!(unpack(packed)["usr/bin/taire"], release.program);
        assert_eq!(configuration["config"]["Entrypoint"][0], "/usr/bin/taire");
        assert_ne!(configuration["config"]["User"], "root");
    }

    #[test]
    fn the_image_is_the_same_twice() {
        assert_eq!(archive(&stand_in()).unwrap(), archive(&stand_in()).unwrap());
    }
}
