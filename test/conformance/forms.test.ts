// Every form that a condition may take (docs/conditions.md) stands in a condition of some case: a form is found by
// looking at the conditions themselves, so that a case that loses it is missed here.
import { expect, it } from 'vitest'
import { MATCHES, OPERATORS } from '../../src/model/condition.ts'
import type { Json } from '../../src/model/objects.ts'
import { readCases } from './cases.ts'

const GROUPS = ['allOf', 'anyOf', 'and', 'or']
const ROOTS = ['user', 'subject', 'resource', 'tenant', 'context', 'environment', 'action']
const IDENTITY = [
  'user.key',
  'user.roles',
  'user.tenants',
  'resource.type',
  'resource.key',
  'resource.tenant',
  'tenant.key',
  'context.now',
]

const FORMS = [
  'no condition',
  'an operand alone',
  'several attributes in one object',
  ...GROUPS.map((group) => `\`${group}\` of conditions`),
  ...GROUPS.map((group) => `\`${group}\` of tests`),
  'an empty group',
  'a group in a group',
  '`not` of a condition',
  '`not` of a list of conditions',
  '`not` of a test',
  '`not` of a list of tests',
  '`not` of a value',
  '`not` of a list of values',
  'several operators in one test',
  'a nested attribute',
  ...ROOTS.map((root) => `the root \`${root}\``),
  ...IDENTITY.map((path) => `\`${path}\``),
  ...[...Object.keys(OPERATORS), ...MATCHES.keys()].map((operator) => `\`${operator}\``),
  '`ref`',
  '`ref` inside a match',
  'a list of one for a value',
  ...[...MATCHES.keys()].map((match) => `\`${match}\` by a foreign key`),
  'a match in a match',
  'a match of no tests',
]

const isObject = (json: Json | undefined): json is { readonly [name: string]: Json } =>
  typeof json === 'object' && json !== null && !Array.isArray(json)
const isTest = (json: Json): boolean =>
  isObject(json) && Object.keys(json).some((name) => !name.includes('.')) && !isCondition(json)
/** Anything with an attribute in it, however deep in groups. */
const isCondition = (json: Json): boolean =>
  Array.isArray(json)
    ? json.some(isCondition)
    : isObject(json) &&
      Object.entries(json).some(
        ([name, inner]) => name.includes('.') || ([...GROUPS, 'not'].includes(name) && isCondition(inner)),
      )

function* formsOf(json: Json, inGroup = false): Generator<string> {
  if (!isObject(json)) return
  const names = Object.keys(json)
  if (names.length === 0) yield 'no condition'
  if (names.length > 1 && names.every((name) => name.includes('.'))) yield 'several attributes in one object'
  if (!inGroup && names.length === 1 && names[0]!.includes('.')) yield 'an operand alone'
  for (const [name, inner] of Object.entries(json)) {
    if (name.includes('.')) {
      yield* pathForms(name)
      yield* testForms(inner, false)
    } else if (name === 'not') {
      yield Array.isArray(inner) ? '`not` of a list of conditions' : '`not` of a condition'
      for (const one of [inner].flat() as Json[]) yield* formsOf(one, true)
    } else if (GROUPS.includes(name) && Array.isArray(inner)) {
      yield inner.length === 0 ? 'an empty group' : `\`${name}\` of conditions`
      if (inGroup) yield 'a group in a group'
      for (const one of inner) yield* formsOf(one, true)
    }
  }
}

function* pathForms(path: string): Generator<string> {
  const [root] = path.split('.')
  yield `the root \`${root}\``
  if (IDENTITY.includes(path)) yield `\`${path}\``
  if (path.split('.').length > 2) yield 'a nested attribute'
}

function* testForms(json: Json, inMatch: boolean): Generator<string> {
  if (!isObject(json)) return
  if (Object.keys(json).length > 1) yield 'several operators in one test'
  for (const [name, inner] of Object.entries(json)) {
    if (GROUPS.includes(name)) {
      yield `\`${name}\` of tests`
      for (const one of inner as Json[]) yield* testForms(one, inMatch)
    } else if (name === 'not') {
      const what = isTest([inner].flat()[0] as Json) ? 'test' : 'value'
      yield Array.isArray(inner) ? `\`not\` of a list of ${what}s` : `\`not\` of a ${what}`
      for (const one of [inner].flat() as Json[]) yield* testForms(one, inMatch)
    } else {
      yield `\`${name}\``
      yield* operandForms(name, inner, inMatch)
    }
  }
}

function* operandForms(operator: string, right: Json, inMatch: boolean): Generator<string> {
  if (isObject(right) && 'ref' in right) {
    yield '`ref`'
    if (inMatch) yield '`ref` inside a match'
    yield* pathForms(String(right.ref))
  }
  const takesList = operator in OPERATORS && ['list', 'range'].includes(OPERATORS[operator as 'in'].right)
  if (Array.isArray(right) && !takesList) yield 'a list of one for a value'
  if (!isObject(right) || !isObject(right.match)) return
  if ('fk_resource_type' in right) yield `\`${operator}\` by a foreign key`
  if (inMatch) yield 'a match in a match'
  if (Object.keys(right.match).length === 0) yield 'a match of no tests'
  for (const test of Object.values(right.match)) yield* testForms(test, true)
}

it('every form of a condition has a case', () => {
  const found = new Set<string>()
  for (const { steps } of readCases()) {
    for (const [op, kind, object] of steps.flatMap(({ write = [] }) => write)) {
      if (op !== 'put' || kind !== 'condition_set') continue
      for (const form of formsOf(object.conditions)) found.add(form)
    }
  }
  expect(FORMS.filter((form) => !found.has(form))).toEqual([])
})
