// What changed an answer (D15): revisions, and the instants between them at which something starts or ends, each of them,
// compared with asking every revision at every instant.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Question } from '../../../src/image/explain/explain.ts'
import { Image } from '../../../src/image/image.ts'
import type { Change, LogEntry } from '../../../src/log/change.ts'
import type { PolicyChange } from '../../../src/log/delta.ts'
import { type Answer, askImage, compareAnswers } from '../../../src/management/past/compare-answers.ts'
import type { PlacedObject } from '../../../src/store/load-snapshot.ts'
import type { PastReader } from '../../../src/store/past-reader.ts'
import { numbers } from '../../property/numbers.ts'
import { parameters } from '../../property/seed.ts'
import { drawChanges, INSTANTS, POLICY, QUESTIONS } from '../../property/times-law.ts'
import { toPolicy } from '../../reference/policy.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../../support/deltas.ts'
import { toParts } from '../../support/parts.ts'

const REVISIONS = 8

/** What decisions read of an object, as it is stored. */
function toStored({ kind, key, ...change }: PolicyChange): object {
  const { value } = change as unknown as { value: Record<string, object> }
  const defaults = { key, attributes: {}, email: null, first_name: null, last_name: null }
  if (kind !== 'resource') return { ...defaults, ...value }
  const actions = (value.actions as string[]).map((each) => ({ key: each }))
  return {
    key,
    actions,
    attributes: Object.entries(value.attributes ?? {}).map(([name, type]) => ({ key: name, type })),
  }
}

const BY = { api_key_id: null, request_id: null, address: null, method: null, path: null, operation: 'test' }

/** A past that was written at these instants, the first revision first. */
function makePast(changes: readonly (readonly PolicyChange[])[], writtenAt: readonly number[]): PastReader {
  const entries = changes.map((each, index): LogEntry => {
    const { environment: log, to: revision, previous, chain } = deltaTo(index + 2, each)
    const stored = each.map((change) => (change.op === 'put' ? { ...change, value: toStored(change) } : change))
    const at = writtenAt[index + 1]!
    return { log, revision, previous, chain, at, by: BY, status: 200, changes: stored as unknown as Change[] }
  })
  const objects = POLICY.map(
    (change) => ({ kind: change.kind, json: JSON.stringify(toStored(change)) }) as PlacedObject,
  )
  return {
    start: async () => ({ position: makePosition(1), objects }),
    entries: async (after) => entries.filter(({ revision }) => revision > after),
    reach: async () => ({ from: 1, since: undefined }),
    close: async () => {},
  }
}

interface Expected {
  readonly revision: number
  readonly answer: Answer
  readonly by: 'revision' | 'time'
  readonly at: number
}

/** Each revision at each instant while it answered, one after the other. */
function* askedOneByOne(
  images: readonly Image[],
  question: Question,
  writtenAt: readonly number[],
  until: number,
): Iterable<Expected> {
  for (const [index, image] of images.entries()) {
    const [start, end] = [writtenAt[index]!, writtenAt[index + 1] ?? until]
    const ask = (by: Expected['by'], at: number) => ({
      revision: image.revision,
      answer: askImage(image, question, at),
      by,
      at,
    })
    yield ask('revision', start)
    for (const instant of INSTANTS) if (start < instant && instant <= end) yield ask('time', instant)
  }
}

const toQuestion = ([user, action, type, tenant, key, sent, relations]: ReturnType<typeof toParts>): Question => ({
  ...{ user, action, type, tenant, key, sent, relations },
})

it('[D15] what changed an answer is found: revisions, and instants at which something started or ended', async () => {
  const seen = { byTime: 0, byRevision: 0, named: 0, narrow: 0 }
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const next = numbers(seed)
      const policy = toPolicy(POLICY)
      const changes = Array.from({ length: REVISIONS }, () => drawChanges(policy, next, 4))
      const writtenAt = [0, ...changes.map(() => INSTANTS[1 + next(INSTANTS.length - 2)]! + next(3) - 1)].sort(
        (a, b) => a - b,
      )
      const image = Image.build(ENVIRONMENT, makePosition(1), POLICY)
      const images = [image.clone()]
      for (const [index, each] of changes.entries()) {
        image.apply(deltaTo(index + 2, each))
        images.push(image.clone())
      }
      const reader = makePast(changes, writtenAt)
      const until = INSTANTS.at(-1)!
      for (const request of QUESTIONS.filter(() => next(8) === 0)) {
        const question = toQuestion(toParts(request))
        const all = [...askedOneByOne(images, question, writtenAt, until)]
        const expected = all.filter(({ answer }, index) => index > 0 && answer !== all[index - 1]!.answer)
        const range = { from: 1, to: REVISIONS + 1, since: 0, until, question }
        const found = await compareAnswers(reader, ENVIRONMENT, range)
        expect([question, found.flips.map(({ grants: _, ...flip }) => flip)]).toEqual([question, expected])
        const { before, after } = found
        expect(found).toMatchObject({ before: all[0]!.answer, after: all.at(-1)!.answer, isComplete: true })
        for (const { by, at, grants } of found.flips) {
          seen[by === 'time' ? 'byTime' : 'byRevision']++
          seen.named += grants.length
          for (const { valid_from, valid_until } of grants) expect([valid_from, valid_until]).toContain(at)
        }
        if (before === after || next(4) > 0) continue
        // the halves are compared until two revisions are left
        const narrow = await compareAnswers(reader, ENVIRONMENT, range, 1)
        expect(narrow).toMatchObject({ before, after, isComplete: false })
        for (const { grants: _, ...flip } of narrow.flips) expect(expected).toContainEqual(flip)
        expect(narrow.flips.length).toBeGreaterThan(0)
        seen.narrow++
      }
    }),
    parameters(48),
  )
  for (const [what, count] of Object.entries(seen)) expect([what, count > 0]).toEqual([what, true])
})
