import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// The certificate by which servers know us again, with its key. It is made at the first use.
struct Identity {
    let chain: [NIOSSLCertificateSource]
    let key: NIOSSLPrivateKeySource

    /// Twenty years: a server knows us by the certificate, so that a new one would make us somebody else.
    private static let lifetime: TimeInterval = 20 * 365 * 86_400

    /// - Throws: If the file can neither be read nor made. One that is damaged is not replaced: it may be
    ///   what gives this person rights on a server.
    static func load() throws -> Identity {
        let file = UserFiles.identity
        let text: String
        if let kept = try UserFiles.read(file) {
            text = kept
        } else {
            text = try make()
            try UserFiles.write(text, to: file)
        }
        do {
            let bytes = Array(text.utf8)
            return Identity(
                chain: try NIOSSLCertificate.fromPEMBytes(bytes).map { .certificate($0) },
                key: .privateKey(try NIOSSLPrivateKey(bytes: bytes, format: .pem))
            )
        } catch {
            throw UserFiles.Failure(
                errorDescription:
                    "\(file.path) has no certificate with its key (\(error)): bring back a copy of"
                    + " it, or remove it to get a new identity"
            )
        }
    }

    private static func make() throws -> String {
        let key = P256.Signing.PrivateKey()
        // Servers show it to their operators. It says nothing about the person.
        let name = try DistinguishedName { CommonName("ptt-mumble") }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            // A clock that is somewhat late, here or there, is no reason to be refused.
            notValidBefore: Date(timeIntervalSinceNow: -86_400),
            notValidAfter: Date(timeIntervalSinceNow: lifetime),
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions { Critical(BasicConstraints.notCertificateAuthority) },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        return "\(key.pemRepresentation)\n\(try certificate.serializeAsPEM().pemString)\n"
    }
}
