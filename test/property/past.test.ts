// The law of past revisions: whatever was written, the image of a revision that is built later answers every question
// as the image that followed the log answered it then, with the same explanation; and when an answer changed, the
// revisions that changed it are found. ZEROHOP_TEST_SCALE=60 asks more than 5,000 questions again.
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { formatLine } from '../../src/client/decision-record.ts'
import { type PreparedLine, readLines } from '../../src/decision-log/audit-lines.ts'
import { shortReason } from '../../src/http/pdp/record-decision.ts'
import type { Question } from '../../src/image/explain/explain.ts'
import { type Explanation, Image } from '../../src/image/image.ts'
import { toDelta } from '../../src/log/delta.ts'
import { type Answer, askImage, compareAnswers } from '../../src/management/past/compare-answers.ts'
import { imageAt } from '../../src/management/past/past-image.ts'
import { missingFor, questionIn } from '../../src/management/past/replay.ts'
import { buildSnapshot } from '../../src/management/snapshot/snapshot.ts'
import { compareText } from '../../src/model/text-order.ts'
import { type RecordedAttributes, recordedQuestion } from '../../src/pdp/recorded-question.ts'
import { writeCheckpoint } from '../../src/store/checkpoint-file.ts'
import { FolderPastReader } from '../../src/store/past-reader.ts'
import { openReader } from '../../src/store/reader.ts'
import type { Request } from '../reference/request.ts'
import { commitsFor } from '../support/commits.ts'
import { Environments, TESTER } from '../support/environments.ts'
import { toParts } from '../support/parts.ts'
import { World } from '../support/world.ts'
import { type History, listOperations, numbers, POOLS, untimedHistories } from './histories.ts'
import { questions } from './questions.ts'
import { parameters } from './seed.ts'

const environments = new Environments()
afterAll(() => environments.close())

const MODES = ['none', 'read', 'all'] as const

const small = untimedHistories
  .filter(({ pool }) => pool === 'small')
  .map((history) => ({ ...history, revisions: history.revisions.slice(0, 6) }))

interface Recorded {
  readonly request: Request
  readonly revision: number
  readonly answered: unknown
  /** as it is stored; undefined where the check could not decide */
  readonly record: PreparedLine['record'] | undefined
  readonly mode: RecordedAttributes
}

const INSTANCE = 'ab'.repeat(16)

/** The record of a decision, through the line that a PDP writes and the management side reads. */
function makeRecord(image: Image, request: Request, answered: unknown, mode: RecordedAttributes): Recorded['record'] {
  if (typeof answered === 'string') return undefined
  const { allow, tenant } = answered as Explanation
  const question = toQuestion(request)
  const { user, action, type, key } = question
  const reads = () => image.attributesRead(type, action)
  const line = formatLine(
    {
      ...{ at: 1, request: null, environment: image.environment, revision: image.revision, apiKey: 'k' },
      ...{ user, tenant, action, resourceType: type, resourceKey: key ?? null, allow, micros: 0 },
      reason: shortReason(answered as Explanation),
      ...recordedQuestion({ tenant: question.tenant, sent: question.sent, relations: question.relations }, mode, reads),
    },
    0,
  )
  const found: PreparedLine[] = []
  const lines = Buffer.from(`{"instance":"${INSTANCE}","seq":1${line}`)
  const options = { now: 2, findUser: () => undefined }
  readLines(lines.toString(), { lines, isCompressed: false }, options, (each) => void found.push(each))
  return found[0]?.record
}

/** What an image says to a question: its explanation, or the code of the error. */
function answerBy(image: Image, request: Request): unknown {
  try {
    const explanation = image.explain(...toParts(request))
    // in which order they are found depends on how the image came to be
    const sorted = (list: readonly unknown[]) =>
      [...list].sort((a, b) => compareText(JSON.stringify(a), JSON.stringify(b)))
    const { because, roles, misses, notes } = explanation
    const lists = { because: sorted(because), roles: sorted(roles), misses: sorted(misses), notes: sorted(notes) }
    return { ...explanation, ...lists }
  } catch (error) {
    return (error as { code: string }).code
  }
}

function toQuestion(request: Request): Question {
  const [user, action, type, tenant, key, sent, relations] = toParts(request)
  return { user, action, type, tenant, key, sent, relations }
}

/** Writes a history; `seen` is called after each revision, with the image that followed the log. */
async function write(log: string, history: History, seen: (image: Image, world: World) => void): Promise<void> {
  const store = await environments.store()
  const world = new World()
  const follower = Image.load(buildSnapshot(store.view(log)).bytes)
  for (const edit of history.revisions.flat())
    for (const operation of listOperations(world, POOLS[history.pool], edit)) {
      const commits = commitsFor(world, operation)
      world.run(operation)
      for (const [name, input] of commits) {
        // what management refuses is not written, and the next one goes on from what is
        await store.commit(log, name, input as never, TESTER).catch(() => undefined)
      }
      for (const entry of store.entries(log, follower.revision)) {
        follower.apply(toDelta(entry))
        seen(follower, world)
      }
    }
}

/** Later than everything is written: each revision is asked at the same instant. */
const NOW = Date.UTC(2100, 0, 1)
const BY_REVISION = { by: 'revision', at: NOW, grants: [] } as const

function withReader<T>(log: string, run: (reader: FolderPastReader) => Promise<T>): Promise<T> {
  const reader = new FolderPastReader(environments.data, openReader(environments.data), log)
  return run(reader).finally(() => reader.close())
}

/** Writes a checkpoint of the head, as the thread does. */
async function checkpoint(log: string): Promise<void> {
  const reader = openReader(environments.data)
  const { head, objects } = reader.state(log)
  writeCheckpoint(environments.data, log, { ...head, at: 1 }, objects)
  await reader.close()
}

describe('past revisions', () => {
  it('answer as then, and what changed an answer is found', async () => {
    let asked = 0
    const replayed = { none: 0, read: 0, all: 0 }
    await fc.assert(
      fc.asyncProperty(small, fc.nat(), async (history, seed) => {
        const [log] = await environments.create()
        const next = numbers(seed)
        const recorded: Recorded[] = []
        const checkpoints: Promise<void>[] = []
        await write(log, history, (image, world) => {
          if (next(10) === 0) checkpoints.push(checkpoint(log))
          if (next(4) > 0) return
          const { revision } = image
          for (const request of questions(world, POOLS[history.pool], next, 4)) {
            const answered = answerBy(image, request)
            const mode = MODES[next(3)]!
            recorded.push({ request, revision, answered, mode, record: makeRecord(image, request, answered, mode) })
          }
        })
        await Promise.all(checkpoints)
        await withReader(log, async (reader) => {
          let image: Image | undefined
          for (const { request, revision, answered, record, mode } of recorded) {
            if (image?.revision !== revision) image = await imageAt(reader, log, revision)
            expect([request, revision, answerBy(image, request)]).toEqual([request, revision, answered])
            asked++
            if (record === undefined) continue
            const missing = missingFor(record, image)
            if (mode !== 'none' && record.sent !== 'too long')
              expect([request, mode, missing]).toEqual([request, mode, []])
            if (missing.length > 0) continue
            const { user, action, type, tenant, key, sent, relations } = questionIn(record)
            const again = image.explain(user, action, type, tenant, key, sent, relations)
            const answer = [again.allow, shortReason(again), again.tenant]
            expect([request, mode, answer]).toEqual([request, mode, [record.decision, record.reason, record.tenant]])
            replayed[mode]++
          }
        })
      }),
      parameters(2),
    )
    expect(asked).toBeGreaterThan(50)
    expect(Math.min(...Object.values(replayed))).toBeGreaterThan(5)
    if (process.env.ZEROHOP_TEST_SCALE) process.stdout.write(`asked ${asked}, replayed ${JSON.stringify(replayed)}\n`)
  })

  it('tell which revisions changed an answer, all of them or one for certain', async () => {
    let changed = 0
    await fc.assert(
      fc.asyncProperty(small, fc.nat(), async (history, seed) => {
        const [log] = await environments.create()
        const asked: Question[] = []
        /** the answers to each question at each revision from the first on */
        const answers: Answer[][] = []
        const revisions: number[] = []
        const next = numbers(seed)
        await write(log, history, (image, world) => {
          revisions.push(image.revision)
          if (asked.length < 150 && next(2) === 0)
            for (const request of questions(world, POOLS[history.pool], next, 10)) {
              asked.push(toQuestion(request))
              answers.push([])
            }
          for (const [at, question] of asked.entries()) answers[at]!.push(askImage(image, question, NOW))
        })
        await withReader(log, async (reader) => {
          const to = revisions.at(-1)!
          for (const [at, question] of asked.entries()) {
            const all = answers[at]!
            const from = to - all.length + 1
            const flips = all.flatMap((answer, index) =>
              index > 0 && answer !== all[index - 1] ? [{ revision: from + index, answer, ...BY_REVISION }] : [],
            )
            if (flips.length === 0 && next(20) > 0) continue
            const range = { from, to, since: NOW, until: NOW, question }
            const whole = await compareAnswers(reader, log, range)
            const before = all[0]
            const after = all.at(-1)
            expect(whole).toEqual({ before, after, flips, count: flips.length, isComplete: true })
            if (before === after) continue
            changed++
            // the halves are compared until two revisions are left
            const narrow = await compareAnswers(reader, log, range, 1)
            expect(narrow).toMatchObject({ before, after, count: 1, isComplete: to - from <= 1 })
            expect(flips).toContainEqual(narrow.flips[0])
          }
        })
      }),
      parameters(1),
    )
    expect(changed).toBeGreaterThan(0)
  })
})
