// When the certificate that a server shows expires. Node does not tell which one a server has, so whoever gives it one
// says so here: the app that is made with it, and a reload of the files.
import { X509Certificate } from 'node:crypto'

const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g

const expiries = new WeakMap<object, number>()

/** The server shows this certificate from now on, a PEM text that may hold a whole chain. */
export function noteCertificate(server: object, pem: Buffer): void {
  const ends = (pem.toString('latin1').match(CERTIFICATE) ?? []).map((each) =>
    Date.parse(new X509Certificate(each).validTo),
  )
  expiries.set(server, Math.min(...ends))
}

/** When the first of its certificates expires, in ms since 1970; undefined of a server without TLS. */
export const certificateExpiry = (server: object): number | undefined => expiries.get(server)
