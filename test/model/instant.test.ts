import { describe, expect, it } from 'vitest'
import { parseInstant } from '../../src/model/instant.ts'

describe('parseInstant', () => {
  it('reads every day of four centuries as the platform does', () => {
    const wrong: string[] = []
    for (let day = Date.UTC(1800, 0, 1); day < Date.UTC(2201, 0, 1); day += 86_400_000) {
      const text = new Date(day).toISOString()
      if (parseInstant(text) !== day || parseInstant(text.slice(0, 10)) !== day) wrong.push(text)
    }
    expect(wrong).toEqual([])
  })

  it('reads the first and the last instant that four digits of a year can say', () => {
    expect(parseInstant('0000-01-01')).toBe(Date.parse('0000-01-01T00:00:00Z'))
    expect(parseInstant('0000-02-29T12:00Z')).toBe(Date.parse('0000-02-29T12:00:00Z'))
    expect(parseInstant('9999-12-31T23:59:59.999Z')).toBe(Date.parse('9999-12-31T23:59:59.999Z'))
  })

  it.each([
    ['2026-11-20T08:30:00.25Z', 250],
    ['2026-11-20T08:30:00.2Z', 200],
    ['2026-11-20T08:30:00.2509999Z', 250],
    ['2026-11-20T08:30:00.250', 250],
    ['2026-11-20T14:15:00.250+05:45', 250],
    ['2026-11-19T22:00:00.250-10:30', 250],
  ])('%s is one instant, whatever its fraction and offset', (text, fraction) => {
    expect(parseInstant(text)).toBe(Date.UTC(2026, 10, 20, 8, 30, 0, fraction))
  })

  it('a number is milliseconds already, any number', () => {
    for (const number of [0, -1, 1.5, 2 ** 60]) expect(parseInstant(number)).toBe(number)
  })

  it.each([
    undefined,
    null,
    true,
    [],
    ['2026-11-20'],
    {},
    '',
    'now',
    '2026-11-20T08:30z',
    '2026-11-20T25:00Z',
    '2026-02-30',
    '2026-11-20\n',
  ])('%j is no instant', (value) => {
    expect(parseInstant(value)).toBeUndefined()
  })
})
