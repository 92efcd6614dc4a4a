// What a record of a decision holds of its question in addition to the keys, so that it can be asked again: the time,
// relations, the attributes that are to be recorded, and the names of those that are not.
import { DECISION_OMITTED_MAX, DECISION_OMITTED_NAME_MAX } from '../model/limits.ts'
import type { Question } from './request.ts'

/** Which of the attributes that were sent are recorded: `read` are those that the rules of the permission read. */
export type RecordedAttributes = 'none' | 'read' | 'all'

/** The setting: all attributes, none, or those that are read. */
export const recordedAttributes = (setting: boolean | 'read' | undefined): RecordedAttributes =>
  setting === 'read' ? 'read' : setting === true ? 'all' : 'none'

/** Names of attributes by their subject, as rules read them. */
export type AttributeNames = Readonly<Record<Subject, readonly string[]>>
type Subject = 'user' | 'action' | 'resource' | 'context'

const SUBJECTS: readonly Subject[] = ['user', 'action', 'resource', 'context']

/** A question, as far as it is recorded here. */
interface AskedQuestion extends Pick<Question, 'tenant' | 'relations'> {
  readonly isRow?: boolean
  readonly sent: Readonly<Partial<Record<Subject, object | null | undefined>>> | undefined
}

export interface RecordedQuestion {
  /** the time that conditions saw, in ms since 1970; undefined when none was sent as a number */
  readonly now: number | undefined
  /** false when the tenant of the record came from the stored instance, or is the default */
  readonly isTenantSent: boolean
  /** attributes by subject, `relations`, and `row` for a marked row; undefined when there are none, unless all are recorded */
  readonly sent: Readonly<Record<string, object | true>> | undefined
  /** `subject.name` of attributes that were sent and are not recorded; the last is `…` when there are more */
  readonly omitted: readonly string[]
}

/**
 * @param reads the attributes that rules of the permission read; asked only for `read`
 * @param isMapped true when a mapping rule made the attributes of the resource: they are always recorded
 */
export function recordedQuestion(
  { tenant, sent, relations, isRow }: AskedQuestion,
  mode: RecordedAttributes,
  reads: () => AttributeNames,
  isMapped = false,
): RecordedQuestion {
  const parts: Record<string, object | true> = {}
  const omitted: string[] = []
  const time: unknown = (sent?.context as { now?: unknown } | null | undefined)?.now
  const now = typeof time === 'number' && Number.isFinite(time) ? time : undefined
  for (const subject of SUBJECTS) {
    const attributes = sent?.[subject]
    if (attributes === undefined || attributes === null) continue
    const isAll = mode === 'all' || (isMapped && subject === 'resource')
    const kept: [string, unknown][] = []
    for (const [name, value] of Object.entries(attributes)) {
      if (subject === 'context' && name === 'now' && now !== undefined) continue
      if (isAll || (mode === 'read' && reads()[subject].includes(name))) kept.push([name, value])
      else if (omitted.length < DECISION_OMITTED_MAX) omitted.push(omittedName(subject, name))
    }
    if (kept.length > 0) parts[subject] = Object.fromEntries(kept)
  }
  if (omitted.length === DECISION_OMITTED_MAX) omitted[DECISION_OMITTED_MAX - 1] = MORE
  if (relations !== undefined)
    parts.relations = Object.fromEntries(relations.map(({ relation, subjects }) => [relation, subjects]))
  if (isRow === true) parts.row = true
  return {
    now,
    isTenantSent: tenant !== undefined,
    sent: Object.keys(parts).length === 0 && mode !== 'all' ? undefined : parts,
    omitted,
  }
}

/** Stands for names that are not listed. */
const MORE = '…'

const omittedName = (subject: Subject, name: string): string =>
  name.length > DECISION_OMITTED_NAME_MAX ? MORE : `${subject}.${name}`
