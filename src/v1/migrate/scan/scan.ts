// Searches a code base for uses of v1: file, line, what to write instead. Languages that have a reader are parsed, all
// other text is searched for paths and hosts. It changes nothing, and reports what it did not search.
import { relative } from 'node:path'
import { ZerohopError } from '../../../model/errors.ts'
import { SCAN_FILES_MAX } from '../../../model/limits.ts'
import type { FindingKind } from './calls.ts'
import { type Reason, textOf, walk } from './files.ts'
import { usesInText } from './generic.ts'
import { V1_HOSTS } from './hosts.ts'
import { usesIn } from './rules.ts'
import { languageOf, parse } from './tokenizer.ts'

export interface Finding {
  /** relative to the scanned folder, with `/` */
  readonly file: string
  /** from 1 */
  readonly line: number
  readonly column: number
  readonly kind: FindingKind
  readonly found: string
  readonly instead: string
}

export interface Skipped {
  readonly file: string
  readonly reason: Reason
}

export interface ScanReport {
  /** files that were searched */
  readonly files: number
  readonly findings: readonly Finding[]
  /** files that were not searched, and folders that could not be opened (with `/` at the end) */
  readonly skipped: readonly Skipped[]
  /**
   * folders skipped because their name is usual for build output or third-party code; they may still have code of the
   * team
   */
  readonly passedOver: readonly string[]
  /** what was excluded with --ignore */
  readonly ignored: readonly string[]
}

export interface ScanOptions {
  /** files and folders to exclude */
  readonly ignore?: readonly string[]
  /** further hosts that speak v1 only, such as the address of a PDP of v1 */
  readonly hosts?: readonly string[]
  readonly progress?: () => void
}

/**
 * Every use of v1 under `path`, a folder or one file, in the order of the names of files.
 * @throws CONFIG_INVALID when the path cannot be read, LIMIT_EXCEEDED when there are too many files
 */
export function scanFolder(path: string, { ignore = [], hosts = [], progress }: ScanOptions = {}): ScanReport {
  const report = {
    files: 0,
    findings: [] as Finding[],
    skipped: [] as Skipped[],
    passedOver: [] as string[],
    ignored: [] as string[],
  }
  const named = (file: string): string => (relative(path, file) || file).split('\\').join('/')
  const names = [...V1_HOSTS, ...hosts]
  walk(path, ignore, {
    file: (file) => {
      if (report.files + report.skipped.length >= SCAN_FILES_MAX)
        throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the number of files', limit: SCAN_FILES_MAX })
      progress?.()
      const read = textOf(file)
      if ('reason' in read) {
        report.skipped.push({ file: named(file), reason: read.reason })
        return
      }
      report.files++
      for (const finding of scanText(read.text, named(file), names)) report.findings.push(finding)
    },
    skipped: (file, reason) => {
      report.skipped.push({ file: file.endsWith('/') ? `${named(file)}/` : named(file), reason })
    },
    passedOver: (folder) => void report.passedOver.push(named(folder)),
    ignored: (one) => void report.ignored.push(named(one)),
  })
  return report
}

/** Whether an unread file may still have a use: it may be text, and was not excluded. */
export const mayHoldUses = ({ reason }: Skipped): boolean => reason === 'too large' || reason === 'unreadable'

/** The uses of v1 in the text of one file. @param hosts those that speak v1 only */
export function scanText(text: string, file: string, hosts: readonly string[] = V1_HOSTS): Finding[] {
  const language = languageOf(file)
  const uses = language === undefined ? usesInText(text, hosts) : usesIn(parse(text, language), text, hosts)
  let line = 1
  let start = 0
  return uses.map(({ at, kind, found, instead }) => {
    for (let end = text.indexOf('\n', start); end !== -1 && end < at; end = text.indexOf('\n', start)) {
      line++
      start = end + 1
    }
    return { file, line, column: at - start + 1, kind, found, instead }
  })
}
