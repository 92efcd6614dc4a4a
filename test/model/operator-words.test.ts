// Every operator of conditions has words, in the builder of the console and in explanations, and no two the same ones.
import { expect, it } from 'vitest'
import { MATCHES, OPERATOR_WORDS, OPERATORS } from '../../src/model/condition-operators.ts'

it('every operator has words of its own, without the signs of its name', () => {
  expect(Object.keys(OPERATOR_WORDS).toSorted()).toEqual([...Object.keys(OPERATORS), ...MATCHES.keys()].toSorted())
  for (const form of ['is', 'be'] as const) {
    const words = Object.values(OPERATOR_WORDS).map((each) => each[form])
    expect(new Set(words).size).toBe(words.length)
    expect(words.filter((each) => !/^[a-z]+( [a-z]+)*$/.test(each))).toEqual([])
  }
  const { equals, 'not-equals': not, 'less-than-equals': most, array_superset: all, in: one } = OPERATOR_WORDS
  expect([equals, not, most, all, one].map(({ is }) => is)).toEqual([
    ...['is', 'is not', 'at most', 'contains all of', 'is one of'],
  ])
})
