// The log of a process: JSON lines on stdout that never hold a key. Whatever is named like a secret is redacted, wherever it stands.
import { type Logger, pino } from 'pino'

const SECRETS = ['authorization', 'apiKey', 'secret', 'token', 'bootstrapKey']

export function createLogger(level: string, name: string): Logger {
  const paths = SECRETS.flatMap((secret) => [secret, `*.${secret}`, `*.*.${secret}`])
  return pino({ level, name, redact: { paths, censor: '…' } })
}
