// Asks the question of a recorded decision again: at its revision, where what was recorded suffices, and at the
// present. The question that is asked is that of the record; what rules read and the record does not have is named.
import type { Question } from '../../image/explain/explain.ts'
import { whyTree } from '../../image/explain/why-tree.ts'
import type { Explanation, Image } from '../../image/image.ts'
import type { Actor, LogId } from '../../log/change.ts'
import { decidesAlike } from '../../model/engine.ts'
import type { Why } from '../../model/why.ts'
import type { Store } from '../../store/store.ts'
import type { UseCases } from '../../store/view.ts'
import type { Answer, Flip } from './compare-answers.ts'
import type { Found, PastRevisions } from './past-revisions.ts'

/** What a replay needs of a record; `engine`, `now`, `instant` and `omitted` are absent in those of older versions. */
export interface ReplayedRecord {
  /** ms since 1970 */
  readonly at: number
  readonly revision: number
  readonly user: string
  readonly tenant: string
  readonly action: string
  readonly resource_type: string
  readonly resource_key: string | null
  readonly decision: boolean
  readonly reason: string
  readonly sent: unknown
  readonly engine?: string | null | undefined
  readonly now?: number | null | undefined
  readonly instant?: number | null | undefined
  readonly tenant_sent?: boolean | undefined
  readonly omitted?: readonly string[] | undefined
}

/** What changed the answer; of a revision who wrote it. */
export interface Cause extends Flip {
  readonly actor: Actor | undefined
}

export interface Today {
  readonly revision: number
  readonly answer: Answer
  /** what the last of `causes` is; null: the same answer */
  readonly changedBy: 'revisions' | 'time' | null
  readonly causes: readonly Cause[]
  /** changes of the answer that were found */
  readonly count: number
  /** whether every revision was asked, and each instant between them at which something starts or ends */
  readonly isComplete: boolean
  /** what the rules of today read and the record does not have: the answer may be another one */
  readonly missing: readonly string[]
}

export interface Replay {
  /** whether the record suffices to ask exactly the same */
  readonly isReproducible: boolean
  /** what is missing for that */
  readonly missing: readonly string[]
  readonly found: Found
  readonly explanation: Explanation
  /** the same for people */
  readonly why: Why
  /** whether the answer is the recorded one */
  readonly agrees: boolean
  readonly today: Today
}

type Logs = Pick<Store<UseCases>, 'head' | 'history'>

/**
 * @param now ms since 1970
 * @throws REVISION_GONE when the revision of the record is not kept any more; UNDECIDED
 */
export async function replay(
  { store, past }: { readonly store: Logs; readonly past: PastRevisions },
  environment: LogId,
  record: ReplayedRecord,
  now: number,
): Promise<Replay> {
  const found = past.find(environment, { revision: record.revision })
  const image = await past.image(environment, found)
  const question = questionIn(record)
  const { user, action, type, tenant, key, sent, relations, isRow } = question
  const explain = () => image.explainWays(user, action, type, tenant, key, sent, relations, isRow)
  const explained = image.guardAt(findInstant(record), explain)
  const { explanation } = explained
  const missing = missingFor(record, image)
  const today = await replayToday({ store, past }, environment, { record, question, now })
  return {
    isReproducible: missing.length === 0,
    missing,
    found,
    explanation,
    why: whyTree(explained),
    agrees: explanation.allow === record.decision,
    today,
  }
}

async function replayToday(
  { store, past }: { readonly store: Logs; readonly past: PastRevisions },
  environment: LogId,
  { record, question, now }: { readonly record: ReplayedRecord; readonly question: Question; readonly now: number },
): Promise<Today> {
  const { revision } = store.head(environment)
  const image = await past.image(environment, past.find(environment, { revision }))
  const then: Answer = record.decision ? 'allow' : 'deny'
  const since = findInstant(record)
  const range = { from: record.revision, to: revision, since, until: now, question: followTime(question, since) }
  const { after: answer, flips, count, isComplete } = await past.compare(environment, range)
  const causes = flips.map((flip): Cause => {
    if (flip.by === 'time') return { ...flip, actor: undefined }
    const [entry] = store.history(environment, flip.revision + 1, 1)
    return { ...flip, at: entry?.at ?? flip.at, actor: entry?.by ?? UNKNOWN }
  })
  const changedBy = answer === then ? null : causes.at(-1)?.by === 'revision' ? 'revisions' : 'time'
  return { revision, answer, changedBy, causes, count, isComplete, missing: missingFor(record, image) }
}

/** The instant at which what has times was in force or not when it was decided; where nothing had, any will do. */
const findInstant = ({ instant, now, at }: ReplayedRecord): number => instant ?? now ?? at

/** The question, without its time where that was the instant: then it passes. What a caller sent instead of it stays. */
function followTime(question: Question, instant: number): Question {
  const { now, ...context } = (question.sent?.context ?? {}) as { readonly now?: unknown }
  return now === instant ? { ...question, sent: { ...question.sent, context } } : question
}

const UNKNOWN: Actor = {
  api_key_id: null,
  request_id: null,
  address: null,
  method: null,
  path: null,
  operation: 'unknown',
}

/** The question of a record, with what was recorded of it. */
export function questionIn(record: ReplayedRecord): Question {
  const parts = readParts(record.sent)
  const { relations, ...attributes } = parts ?? {}
  const time = typeof record.now === 'number' ? { now: record.now } : undefined
  const context = time === undefined ? attributes.context : { ...attributes.context, ...time }
  return {
    user: record.user,
    action: record.action,
    type: record.resource_type,
    tenant: record.tenant_sent === false ? undefined : record.tenant,
    key: record.resource_key ?? undefined,
    sent: { ...attributes, ...(context === undefined ? {} : { context }) },
    relations: relationsIn(relations),
    isRow: (record.sent as { readonly row?: unknown } | null | undefined)?.row === true,
  }
}

interface Parts {
  readonly user?: object
  readonly action?: object
  readonly resource?: object
  readonly context?: object
  readonly relations?: object
}

/** Undefined when nothing was recorded, or a word that says why not. */
function readParts(sent: unknown): Parts | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined
  const known = ['user', 'action', 'resource', 'context', 'relations'] as const
  const entries = known.flatMap((name) => {
    const part = (sent as Readonly<Record<string, unknown>>)[name]
    return typeof part === 'object' && part !== null ? [[name, part] as const] : []
  })
  return Object.fromEntries(entries)
}

function relationsIn(relations: object | undefined): Question['relations'] {
  if (relations === undefined) return undefined
  return Object.entries(relations).flatMap(([relation, subjects]) =>
    Array.isArray(subjects) ? [{ relation, subjects: subjects.filter((each) => typeof each === 'string') }] : [],
  )
}

/** What the rules of the permission read in this image and the record does not have, in words. */
export function missingFor(record: ReplayedRecord, image: Image): string[] {
  if (record.reason === 'no_mapping_rule') return ['the URL that was asked about']
  const { action, resource_type: type, engine, omitted = [] } = record
  const read = Object.entries(image.attributesRead(type, action)).flatMap(([subject, names]) =>
    names.map((name) => `${subject}.${name}`),
  )
  const missing: string[] = []
  if (engine !== undefined && engine !== null && !decidesAlike(engine))
    missing.push(`engine ${engine}, whose rules were others`)
  const hasTime = typeof record.now === 'number'
  const isOld = engine === undefined || engine === null
  const isUnread = typeof record.sent === 'string' || (isOld && readParts(record.sent) === undefined)
  for (const name of read) {
    if (name === 'context.now') {
      if (!hasTime && (isOld || omitted.includes(name))) missing.push('context.now')
    } else if (isUnread || omitted.includes(name) || (omitted.includes('…') && !isRecorded(record, name)))
      missing.push(name)
  }
  const mayRelate = image.names.hasType(type) && image.names.relations(type).length > 0
  if (isUnread && mayRelate && (isOld || typeof record.sent === 'string')) missing.push('resource.relations')
  return missing
}

function isRecorded({ sent }: ReplayedRecord, name: string): boolean {
  const [subject = '', attribute = ''] = name.split(/\.(.*)/s)
  const part = (readParts(sent) as Readonly<Record<string, object>> | undefined)?.[subject]
  return part !== undefined && Object.hasOwn(part, attribute)
}
