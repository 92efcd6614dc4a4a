// The log of a process: JSON lines on stdout without keys. Members with the name of a secret are redacted at any depth.
import { type Logger, pino } from 'pino'

const SECRETS = ['authorization', 'apiKey', 'secret', 'token', 'bootstrapKey']

export function createLogger(level: string, name: string): Logger {
  const paths = SECRETS.flatMap((secret) => [secret, `*.${secret}`, `*.*.${secret}`])
  return pino({ level, name, redact: { paths, censor: '…' } })
}
