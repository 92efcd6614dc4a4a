// A decision log of the tests: one record, a sink that may be down, and what lies in the folder.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DecisionRecord } from '../../src/client/decision-record.ts'
import { DecisionLog, type DecisionLogOptions } from '../../src/decision-log/decision-log.ts'
import type { Sink } from '../../src/decision-log/forwarder.ts'
import type { ZerohopError } from '../../src/model/errors.ts'

export const RECORD: DecisionRecord = {
  at: Date.UTC(2026, 10, 20, 12),
  request: 'r-1',
  environment: 'e'.repeat(32),
  revision: 7,
  apiKey: 'k'.repeat(32),
  user: 'ana',
  tenant: 'default',
  action: 'say',
  resourceType: 'hello',
  resourceKey: null,
  allow: true,
  reason: undefined,
  micros: 12,
  sent: undefined,
  now: undefined,
  isTenantSent: true,
  omitted: [],
}

export interface Line {
  instance: string
  seq: number
  user: string
  dropped_before?: number
}

/** A sink of the test: takes lines unless it is down. */
export class Taker implements Sink {
  readonly name = 'api'
  readonly windowMs = 0
  down = false
  taken: Line[] = []
  raw = ''

  async send(lines: Buffer): Promise<void> {
    if (this.down) throw new Error('down')
    this.raw += lines.toString('latin1')
    this.taken.push(...parse(lines.toString().replaceAll('\0', '')))
  }
}

export const parse = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)

export const open = (folder: string, more: Partial<DecisionLogOptions> = {}) =>
  DecisionLog.open({
    folder,
    policy: 'block',
    sinks: [],
    keepFiles: 10,
    fileBytes: 1_000_000,
    bufferBytes: 1_000_000,
    newId: () => 'ab'.repeat(16),
    onEvent: () => undefined,
    ...more,
  })

/** Records one decision; resolves with the reason why it may not be answered. */
export const record = (log: DecisionLog, user: string) =>
  new Promise<ZerohopError | undefined>((resolve) => log.recorder.add({ ...RECORD, user }).settled(resolve))

export const listFiles = (folder: string) =>
  readdirSync(join(folder, '0'))
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
export const readLines = (folder: string) =>
  listFiles(folder).flatMap((name) => parse(readFileSync(join(folder, '0', name), 'utf8')))
