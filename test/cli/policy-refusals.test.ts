// Answers of a server to a policy, as problems with their places in the files: whatever form the answer has.
import { describe, expect, it, vi } from 'vitest'
import { Refusals } from '../../src/cli/commands/policy-refusals.ts'
import { managementError, toProblem } from '../../src/http/errors.ts'
import { namingItem } from '../../src/http/list-item.ts'
import { readPolicy } from '../../src/management/policy-file/read-policy.ts'
import { type ErrorCode, ZerohopError } from '../../src/model/errors.ts'

const SOURCES = [
  { name: 'a.yaml', text: 'zerohop: 2\nuser_attributes: { age: number }\nroles:\n  - key: reader\n' },
  { name: 'b.yaml', text: 'zerohop: 2\nroles:\n  - { key: writer, extends: [reader] }\n' },
]
const { policy, placeOf } = readPolicy(SOURCES)

/** The error as it comes back from a server. */
function answered(code: ErrorCode, details: object, path: readonly (string | number)[]): ZerohopError {
  const error = new ZerohopError(code, { ...details }, { path })
  const { status, body } = managementError(namingItem(toProblem(error), error, { policy }))
  return new ZerohopError('API_REFUSED', { status, reason: 'as the body says' }, { cause: body })
}

const shown = async (error: unknown, sources = SOURCES) => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const refusals = new Refusals(sources, () => placeOf, ['body', 'policy'])
  const outcome = await refusals.shown(Promise.reject(error)).catch((thrown: unknown) => thrown)
  const text = write.mock.calls.map(([line]) => String(line)).join('')
  write.mockRestore()
  return { outcome, text }
}

describe('what a server refuses of a policy', () => {
  it('stands where the file has it: of another file, in a map, of a missing object, of a wrong value', async () => {
    const of = async (code: ErrorCode, details: object, ...path: (string | number)[]) =>
      (await shown(answered(code, details, ['body', 'policy', ...path]))).text
    expect(await of('OBJECT_NOT_FOUND', { kind: 'role', ref: 'reader' }, 'roles', 1, 'extends', 0)).toBe(
      'b.yaml:3:30: error: role `reader` does not exist\n',
    )
    expect(await of('OBJECT_IN_USE', { kind: 'attribute', key: 'age' }, 'user_attributes', 'age')).toMatch(
      /^a\.yaml:2:\d+: error: (?!policy)/,
    )
    expect(await of('INPUT_INVALID', { reason: 'must be shorter' }, 'roles', 0, 'key')).toBe(
      'a.yaml:4:10: error: must be shorter\n',
    )
  })

  it('is thrown when it is about nothing in the files', async () => {
    const outside = [
      answered('INPUT_INVALID', { reason: 'no' }, ['body', 'prune']),
      answered('INPUT_INVALID', { reason: 'no' }, ['body', 'policy']),
      new ZerohopError('API_REFUSED', { status: 502, reason: 'no JSON' }, { cause: 'Bad Gateway' }),
      new ZerohopError('FEED_UNREACHABLE', { reason: 'nobody answers' }),
    ]
    for (const error of outside) expect(await shown(error)).toEqual({ outcome: error, text: '' })
    const inside = answered('INPUT_INVALID', { reason: 'no' }, ['body', 'policy', 'roles', 0])
    expect(await shown(inside, [])).toEqual({ outcome: inside, text: '' })
  })
})
