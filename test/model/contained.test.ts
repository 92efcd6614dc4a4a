// What goes wrong in a callback is counted and told, and leaves it nowhere.
import { afterEach, describe, expect, it } from 'vitest'
import { contained, containedErrors, hearContained, inBackground } from '../../src/model/contained.ts'
import { Listeners } from '../../src/model/events.ts'
import { eventually } from '../support/eventually.ts'

const heard: [place: string, message: string][] = []
const stop = hearContained((place, error) => {
  heard.push([place, (error as Error).message])
  if (place === 'a bad log') throw new Error('the log is broken too')
})
const fails = (message: string) => () => {
  throw new Error(message)
}

afterEach(() => heard.splice(0))

describe('what nobody can catch', () => {
  it('is counted and reported, and callers that wait get an answer', () => {
    const before = containedErrors()
    const answered: unknown[] = []
    contained('a listener', fails('one'), (error) => answered.push(error))()
    contained('a timer', fails('two'), fails('three'))()
    expect(heard).toEqual([
      ['a listener', 'one'],
      ['a timer', 'two'],
      ['a timer', 'three'],
    ])
    expect(answered).toEqual([new Error('one')])
    expect(containedErrors()).toBe(before + 3)
  })

  it('does not leave it when it cannot be told', () => {
    expect(contained('a bad log', fails('one'))).not.toThrow()
  })

  it('passes arguments on, and says nothing when nothing is wrong', () => {
    const seen: unknown[] = []
    contained('a listener', (a: number, b: string) => seen.push(a, b))(1, 'b')
    expect([seen, heard]).toEqual([[1, 'b'], []])
  })

  it('is the rejection of work that nobody waits for', async () => {
    inBackground('some work', Promise.reject(new Error('late')))
    await eventually(() => heard.length, 1)
    expect(heard).toEqual([['some work', 'late']])
  })

  it('does not keep an event from the other listeners of a part', () => {
    const listeners = new Listeners<{ readonly event: 'moved' }>()
    const seen: string[] = []
    listeners.add(fails('one'))
    listeners.add(({ event }) => seen.push(event))
    listeners.tell({ event: 'moved' })
    expect([seen, heard]).toEqual([['moved'], [["a listener of 'moved'", 'one']]])
  })

  it('is a warning of the process where nobody listens', async () => {
    stop()
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
    contained('a timer', fails('seven'))()
    expect(await warned).toMatchObject({ code: 'ZEROHOP_CONTAINED', message: 'zerohop: a timer failed: seven' })
  })
})
