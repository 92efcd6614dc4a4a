// The report of an import: what could not be said and what differs, as data and as lines for people.
import { counted } from '../../model/counted.ts'
import { IMPORT_DIFFERENCES_SHOWN } from '../../model/limits.ts'
import { plain } from '../../model/plain-text.ts'
import type { Finding, Proof } from './importer.ts'

export interface Report {
  /** nothing is unsaid, and every question that was asked has the same answer */
  readonly exact: boolean
  readonly from: string
  readonly files: readonly string[]
  readonly findings: readonly Finding[]
  readonly proof: Proof
}

export function makeReport(from: string, files: readonly string[], findings: readonly Finding[], proof: Proof): Report {
  const exact = proof.different === 0 && findings.every(({ kind }) => kind === 'note')
  return { exact, from, files, findings, proof }
}

/** Lines without their ends. */
export function printReport({ findings, proof }: Report): string[] {
  const unsaid = findings.filter(({ kind }) => kind === 'unsaid').length
  const shown = proof.differences.slice(0, IMPORT_DIFFERENCES_SHOWN)
  const more = proof.different - shown.length
  const isSample = proof.asked < proof.questions
  return [
    ...findings.flatMap(({ kind, file, line, what, reason, nearest }) => [
      `${plain(file)}:${line}: ${kind === 'unsaid' ? 'not converted' : 'note'}: ${plain(what)}: ${plain(reason)}`,
      `  ${plain(nearest)}`,
    ]),
    ...shown.map(({ question, old, new: now, reason }) => {
      const why = reason === undefined ? '' : ` (${plain(reason)})`
      return `different: ${plain(question)}: ${old} before${why}, ${now} now`
    }),
    ...(more > 0 ? [`… and ${counted(more, 'more difference')}`] : []),
    `asked ${proof.engine} and the written files ${counted(proof.asked, 'question')}${isSample ? ` of ${proof.questions.toLocaleString('en-US')}, chosen by seed ${proof.seed}` : ''}: ${proof.universe}`,
    `${counted(proof.different, 'difference')}, ${proof.wider.toLocaleString('en-US')} allow more than before; both allow ${proof.allowed.toLocaleString('en-US')}; ${unsaid.toLocaleString('en-US')} not converted`,
  ]
}
