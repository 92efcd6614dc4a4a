// Forms about an object of the API: what is sent is what differs, and what somebody else changed meanwhile stays
// theirs.
import { describe, expect, it } from 'vitest'
import {
  type Field,
  findProblems,
  isChanged,
  makeBody,
  makeDraft,
  rebased,
} from '../../../console/src/components/object-draft.ts'

const FIELDS: readonly Field[] = [
  { name: 'name', label: 'Name', isRequired: true },
  { name: 'email', label: 'Email' },
  { name: 'attributes', label: 'Attributes', isObject: true },
]
const STORED = { name: 'Ana', email: null, attributes: { level: 3 }, updated_at: '1' }

describe('a draft', () => {
  it('shows an object as text, and sends nothing while nothing differs', () => {
    const draft = makeDraft(FIELDS, STORED)
    expect(draft).toEqual({ name: 'Ana', email: '', attributes: '{\n  "level": 3\n}' })
    expect(makeBody(FIELDS, { ...draft, attributes: '{"level":3}', name: ' Ana ' }, STORED)).toEqual({})
    expect(isChanged(FIELDS, draft, STORED)).toBe(false)
    expect(makeDraft(FIELDS)).toEqual({ name: '', email: '', attributes: '' })
    expect(makeDraft(FIELDS, { ...STORED, attributes: {} }).attributes).toBe('')
  })

  it('sends only what differs: emptied fields as null, emptied objects as {}', () => {
    const stored = { ...STORED, email: 'ana@acme.example' }
    const draft = makeDraft(FIELDS, stored)
    expect(makeBody(FIELDS, { ...draft, email: ' ' }, stored)).toEqual({ email: null })
    expect(makeBody(FIELDS, { ...draft, attributes: '' }, stored)).toEqual({ attributes: {} })
    expect(makeBody(FIELDS, { ...draft, attributes: '{"level": 4}' }, stored)).toEqual({ attributes: { level: 4 } })
    expect(makeBody(FIELDS, { ...makeDraft(FIELDS), name: 'Ben' })).toEqual({ name: 'Ben' })
  })

  it('has one of some options, and any number of choices', () => {
    const fields: readonly Field[] = [
      { name: 'type', label: 'Type', options: ['string', 'number'], isRequired: true },
      { name: 'permissions', label: 'Permissions', choices: ['read', 'edit', 'delete'] },
    ]
    expect(makeBody(fields, makeDraft(fields))).toEqual({ type: 'string' })
    const stored = { type: 'number', permissions: ['delete', 'read'] }
    const draft = makeDraft(fields, stored)
    expect(draft).toEqual({ type: 'number', permissions: 'read\ndelete' })
    expect(makeBody(fields, draft, stored)).toEqual({})
    expect(makeBody(fields, { ...draft, permissions: 'read\nedit' }, stored)).toEqual({ permissions: ['read', 'edit'] })
    expect(makeBody(fields, { ...draft, permissions: '' }, stored)).toEqual({ permissions: [] })
  })

  it('says at each field what is wrong', () => {
    const draft = { name: ' ', email: '', attributes: '{"level": }' }
    expect(findProblems(FIELDS, draft)).toEqual({
      name: 'Name is required',
      attributes: expect.stringContaining('This is not JSON'),
    })
    expect(findProblems(FIELDS, { ...draft, attributes: '[1]', name: 'a' })).toEqual({
      attributes: expect.stringContaining('Enter a JSON object'),
    })
    expect(findProblems(FIELDS, makeDraft(FIELDS, STORED))).toEqual({})
  })

  it('is applied on top of what someone else has stored, field by field', () => {
    const theirs = { name: 'Anna', email: 'anna@acme.example', attributes: { level: 3 }, updated_at: '2' }
    const mine = { ...makeDraft(FIELDS, STORED), attributes: '{"level": 9}' }
    const next = rebased(FIELDS, mine, STORED, theirs)
    expect(next).toEqual({ name: 'Anna', email: 'anna@acme.example', attributes: '{"level": 9}' })
    expect(makeBody(FIELDS, next, theirs)).toEqual({ attributes: { level: 9 } })
    const broken = { ...mine, attributes: '{"level": ' }
    expect(rebased(FIELDS, broken, STORED, theirs).attributes).toBe('{"level": ')
  })
})
