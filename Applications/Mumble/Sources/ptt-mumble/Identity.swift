import Crypto
import Foundation
import MumbleCore
import NIOSSL
import SwiftASN1
import X509

/// The certificate by which servers know us again, with its key. It is made at the first use.
struct Identity {
    let chain: [NIOSSLCertificateSource]
    let key: NIOSSLPrivateKeySource
    /// When the certificate expires, in seconds since 1970.
    let end: Int

    /// Twenty years: a server knows us by the certificate, so that a new one would make us somebody else.
    private static let lifetime: TimeInterval = 20 * 365 * 86_400

    /// - Throws: If the file can neither be read nor made. One that is damaged is not replaced: it may be
    ///   what gives this person rights on a server.
    static func load() throws -> Identity {
        if let kept = try kept() { return kept }
        let (identity, text) = try fresh()
        try UserFiles.write(text, to: UserFiles.identity)
        return identity
    }

    /// - Returns: The identity in the file; nil if there is none.
    static func kept() throws -> Identity? {
        let file = UserFiles.identity
        guard let text = try UserFiles.read(file) else { return nil }
        do {
            return try Identity(text)
        } catch {
            throw UserFiles.Failure(
                text: "\(file.path) has no certificate with its key (\(error))",
                cure: .advice("bring back a copy of it, or remove it to get a new identity")
            )
        }
    }

    /// - Returns: A new one, and what the file is to have.
    static func fresh() throws -> (identity: Identity, text: String) {
        let text = try make()
        return (try Identity(text), text)
    }

    private init(_ text: String) throws {
        let bytes = Array(text.utf8)
        let certificates = try NIOSSLCertificate.fromPEMBytes(bytes)
        chain = certificates.map { .certificate($0) }
        key = .privateKey(try NIOSSLPrivateKey(bytes: bytes, format: .pem))
        end = Int(certificates.first?.notValidAfter ?? 0)
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
