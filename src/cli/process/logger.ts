// The log of a process: JSON lines on stdout without keys. Members with the name of a secret are redacted at any depth.
import { type Logger, pino } from 'pino'
import { LOG_WAITING_CHARACTERS_MAX } from '../../model/limits.ts'

const SECRETS = ['authorization', 'apiKey', 'secret', 'token', 'bootstrapKey']

/** @param fd where lines are written: what cannot be written waits, and is dropped when it is too much */
export function createLogger(level: string, name: string, fd: string | number = process.stdout.fd): Logger {
  const paths = SECRETS.flatMap((secret) => [secret, `*.${secret}`, `*.*.${secret}`])
  const lines = pino.destination({ dest: fd, sync: true, maxLength: LOG_WAITING_CHARACTERS_MAX })
  // A full disk must not end a server whose log is on it: the lines are written when there is room again.
  lines.on('error', () => undefined)
  return pino({ level, name, redact: { paths, censor: '…' } }, lines)
}
