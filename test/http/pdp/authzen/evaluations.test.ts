// POST /access/v1/evaluations: defaults, order, the three semantics.
import { describe, expect, it } from 'vitest'
import { BULK_CHECKS_MAX } from '../../../../src/model/limits.ts'
import { action, address, document, EVALUATIONS, KEY, send, servePolicy, user } from './policy.ts'

const decisions = (answer: Awaited<ReturnType<typeof send>>): boolean[] =>
  answer.body.evaluations.map(({ decision }: { decision: boolean }) => decision)

/** As /metrics counts them. */
const refusedChecks = async (): Promise<number> => {
  const answer = await fetch(`${address()}/metrics`, { headers: { authorization: `Bearer ${KEY}` } })
  return Number(/^zerohop_checks_total\{outcome="refused"\} (\d+)$/m.exec(await answer.text())?.[1])
}

servePolicy()

describe('POST /access/v1/evaluations', () => {
  const reads = (...ids: string[]) => ids.map((id) => ({ resource: document(id) }))
  const ana = { subject: user('ana'), action: action('read') }

  it('answers every item in its order, at one revision', async () => {
    const answer = await send(EVALUATIONS, { ...ana, evaluations: reads('plan', 'law', 'note') })
    expect([answer.status, answer.headers.get('x-revision')]).toEqual([200, '7'])
    expect(answer.text).toBe('{"evaluations":[{"decision":true},{"decision":false},{"decision":true}]}')
  })

  it('ends with the item that settles it under the two short semantics', async () => {
    const asked = async (evaluations_semantic: string) =>
      decisions(
        await send(EVALUATIONS, {
          ...ana,
          evaluations: reads('plan', 'law', 'note'),
          options: { evaluations_semantic },
        }),
      )
    expect(await asked('execute_all')).toEqual([true, false, true])
    expect(await asked('deny_on_first_deny')).toEqual([true, false])
    expect(await asked('permit_on_first_permit')).toEqual([true])
    const wrong = await send(EVALUATIONS, {
      ...ana,
      evaluations: reads('plan'),
      options: { evaluations_semantic: 'all' },
    })
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('evaluations_semantic must be one of')])
  })

  it('[A3] answers an item that lacks or spoils a member with a deny and the reason', async () => {
    const items = [
      { resource: document('plan') },
      {},
      { resource: 'plan' },
      5,
      null,
      { action: {}, resource: document('plan') },
    ]
    const before = await refusedChecks()
    const { status, body } = await send(EVALUATIONS, { ...ana, evaluations: items })
    expect(status).toBe(200)
    expect(body.evaluations[0]).toEqual({ decision: true })
    expect(body.evaluations.slice(1)).toEqual(
      [
        'resource is missing',
        'resource must be an object',
        'an evaluation must be an object',
        'an evaluation must be an object',
        'action.name is missing',
      ].map((message) => ({ decision: false, context: { error: { status: 400, message } } })),
    )
    expect(await refusedChecks()).toBe(before + 5)
    const short = { evaluations_semantic: 'deny_on_first_deny' }
    expect(decisions(await send(EVALUATIONS, { ...ana, evaluations: items, options: short }))).toEqual([true, false])
  })

  it('[D13] answers an item that cannot be decided with a deny and the reason, and one question alone with 503', async () => {
    const asked = { subject: user('ben', { department: 'x'.repeat(600_000) }), action: action('edit') }
    const evaluations = [
      { resource: document('plan') },
      { ...asked, resource: document('note') },
      { resource: document('note') },
    ]
    const { status, body } = await send(EVALUATIONS, { ...ana, evaluations })
    expect(status).toBe(200)
    expect([body.evaluations[0], body.evaluations[2]]).toEqual([{ decision: true }, { decision: true }])
    expect(body.evaluations[1]).toEqual({
      decision: false,
      context: { error: { status: 503, message: expect.stringMatching(/^could not decide about /) } },
    })
    const alone = await send(EVALUATIONS, { ...asked, resource: document('note') })
    expect([alone.status, alone.text]).toEqual([503, body.evaluations[1].context.error.message])
    expect(alone.headers.get('retry-after')).toBe('1')
  })

  it('[A4] answers like one evaluation when there are no items', async () => {
    for (const evaluations of [undefined, null, []]) {
      const { status, body } = await send(EVALUATIONS, { ...ana, resource: document('plan'), evaluations })
      expect([status, body]).toEqual([200, { decision: true }])
    }
    const { status, text } = await send(EVALUATIONS, { ...ana, evaluations: [] })
    expect([status, text]).toEqual([400, 'resource is missing'])
  })

  it('[A5] replaces a default as a whole, never in parts', async () => {
    const body = {
      subject: user('ana', { department: 'legal' }),
      action: action('edit'),
      resource: document('note', { department: 'sales' }),
      context: { a: 1 },
      evaluations: [
        {},
        { subject: user('ana') },
        { resource: document('note') },
        { subject: user('ben'), resource: document('note') },
      ],
    }
    expect(decisions(await send(EVALUATIONS, body))).toEqual([false, true, true, true])
  })

  it('refuses defaults of a wrong type, items that are not a list, and too many of them', async () => {
    for (const wrong of [{ subject: 'ana' }, { action: [] }, { resource: 1 }, { context: 'x' }, { options: 1 }]) {
      expect((await send(EVALUATIONS, { ...ana, evaluations: reads('plan'), ...wrong })).status).toBe(400)
    }
    expect((await send(EVALUATIONS, { ...ana, evaluations: {} })).status).toBe(400)
    const many = { ...ana, resource: document('plan'), evaluations: Array(BULK_CHECKS_MAX + 1).fill({}) }
    const { status, text } = await send(EVALUATIONS, many)
    expect([status, text]).toEqual([400, expect.stringContaining(String(BULK_CHECKS_MAX))])
  })
})
