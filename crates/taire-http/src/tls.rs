//! TLS for a listener, when the feature `tls` is on.

use std::path::PathBuf;

pub(crate) use imp::{Tls, load};

/// A certificate chain and its private key, as PEM files.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The chain, leaf certificate first.
    pub certificates: PathBuf,
    /// The private key of the leaf certificate.
    pub key: PathBuf,
}

#[cfg(not(feature = "tls"))]
mod imp {
    use super::TlsFiles;
    use crate::Error;

    pub(crate) type Tls = ();

    pub(crate) fn load(files: Option<&TlsFiles>) -> Result<Tls, Error> {
        match files {
            None => Ok(()),
            Some(_) => Err(Error::usage("this binary was built without TLS; build it with --features tls")),
        }
    }
}

#[cfg(feature = "tls")]
mod imp {
    use std::path::Path;
    use std::sync::Arc;

    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::pki_types::pem::PemObject;
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

    use super::TlsFiles;
    use crate::Error;

    pub(crate) type Tls = Option<TlsAcceptor>;

    pub(crate) fn load(files: Option<&TlsFiles>) -> Result<Tls, Error> {
        let Some(TlsFiles { certificates, key }) = files else { return Ok(None) };
        check_mode(key)?;
        let bad = |path: &Path| Error::usage(format!("{} is not a readable PEM file", path.display()));
        let chain = CertificateDer::pem_file_iter(certificates)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|_| bad(certificates))?;
        let secret = PrivateKeyDer::from_pem_file(key).map_err(|_| bad(key))?;
        let wrong = |e| Error::usage(format!("certificate and key cannot be used: {e}"));
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(wrong)?
            .with_no_client_auth()
            .with_single_cert(chain, secret)
            .map_err(wrong)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Some(TlsAcceptor::from(Arc::new(config))))
    }

    /// Refuses a private key that every user of the machine may read.
    fn check_mode(path: &Path) -> Result<(), Error> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(path).map(|m| m.permissions().mode()).unwrap_or(0);
            if mode & 0o007 != 0 {
                let shown = path.display();
                return Err(Error::usage(format!(
                    "TLS key {shown} has mode {:03o}; every user may read it: run `chmod 640 {shown}`",
                    mode & 0o777
                )));
            }
        }
        #[cfg(not(unix))]
        let _ = path;
        Ok(())
    }
}
