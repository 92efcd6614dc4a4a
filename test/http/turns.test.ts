// A management API beside a PDP: few requests begin and few answers leave in one turn of the event loop, all are answered, in their order.
import fastify from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { takeTurns } from '../../src/http/turns.ts'

const PER_TURN = 3
const REQUESTS = 20

describe('requests that take turns', () => {
  const app = fastify()
  afterEach(() => app.close())

  it('begin and end a few in each turn of the event loop, in their order', async () => {
    let turn = 0
    let counting = true
    const count = (): void => {
      turn++
      if (counting) setImmediate(count)
    }
    const begun: number[] = []
    const order: number[] = []
    const ended: number[] = []
    takeTurns(app, PER_TURN)
    app.addHook('onSend', (_request, _reply, payload, done) => {
      ended.push(turn)
      done(null, payload)
    })
    app.get<{ Params: { number: string } }>('/:number', ({ params }) => {
      begun.push(turn)
      order.push(Number(params.number))
      return params.number
    })
    await app.ready()
    setImmediate(count)
    const answers = await Promise.all(Array.from({ length: REQUESTS }, (_, number) => app.inject(`/${number}`)))
    counting = false
    expect(answers.map(({ body }) => Number(body))).toEqual(Array.from({ length: REQUESTS }, (_, number) => number))
    expect(order).toEqual(answers.map((_, number) => number))
    for (const turns of [begun, ended]) {
      expect(turns).toHaveLength(REQUESTS)
      expect(most(turns)).toBeLessThanOrEqual(PER_TURN)
    }
    expect(new Set(begun).size).toBeGreaterThanOrEqual(REQUESTS / PER_TURN)
  })
})

/** How many of the numbers are the same, at most. */
function most(numbers: readonly number[]): number {
  return Math.max(...numbers.map((number) => numbers.filter((other) => other === number).length))
}
