// The policy of files as an image, with the facts of a test file: what a server would have after both were applied. The
// use cases of the API make it, so that a test cannot hold facts that no server would take.
import { Image, type KernelSource } from '../image/image.ts'
import type { KindName } from '../kinds/index.ts'
import { type PolicyChange, project } from '../log/delta.ts'
import { applyPolicy } from '../management/policy-file/apply-policy.ts'
import { countingMint, emptyEnvironment } from '../management/policy-file/empty-environment.ts'
import { hint } from '../management/policy-file/form-sentence.ts'
import { inOrder, type Problem, type Source } from '../management/policy-file/problem.ts'
import { readPolicy } from '../management/policy-file/read-policy.ts'
import type { PolicyFile } from '../management/schemas/policy-file.ts'
import type { ZerohopError } from '../model/errors.ts'
import { shortText } from '../model/shorten.ts'
import { Draft } from '../store/draft.ts'
import type { Wrong } from './expectations.ts'
import type { TestFile } from './test-file.ts'

const POSITION = { revision: 1, chain: '0'.repeat(64) }

export class PolicyUnderTest {
  readonly #base: Draft
  readonly #mint = countingMint()
  /** what the policy consists of, without the facts of test files */
  readonly changes: readonly PolicyChange[]

  /**
   * @param policy was read without errors
   * @param wrong called with errors that only show in the whole policy, such as in the users of its role assignments
   */
  constructor(policy: PolicyFile, wrong: Wrong) {
    this.#base = emptyEnvironment(this.#mint)
    applyPolicy(this.#base, policy, this.#mint, {
      refused: (error) => wrong(formatError(error, this.#base), (error.path ?? []).slice(1)),
    })
    this.changes = projectChanges(this.#base)
  }

  /** What the facts of a test file add; errors are reported with the path in the file. */
  facts(
    facts: TestFile['facts'],
    wrong: Wrong,
  ): { readonly changes: readonly PolicyChange[]; readonly users: readonly string[] } {
    const draft = new Draft(this.#base)
    const refused = (error: ZerohopError) => wrong(formatError(error, draft), ['facts', ...(error.path ?? []).slice(1)])
    applyPolicy(draft, { zerohop: 2, ...facts }, this.#mint, { refused })
    return { changes: projectChanges(draft), users: [...draft.list('user')].map(({ key }) => key) }
  }
}

/** @throws DELTA_INVALID and the like for changes that no policy has */
export function buildImage(changes: readonly PolicyChange[], kernel?: KernelSource): Image {
  return Image.build('0'.repeat(32), POSITION, changes, kernel === undefined ? {} : { kernel })
}

/** The policy of files, or what is wrong with them. */
export function policyUnderTest(sources: readonly Source[]): {
  readonly under?: PolicyUnderTest
  readonly problems: readonly Problem[]
} {
  const { policy, problems, placeOf } = readPolicy(sources)
  const errors = problems.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) return { problems: errors }
  const found: Problem[] = []
  const under = new PolicyUnderTest(policy, (message, path, which) => {
    found.push({ severity: 'error', message, place: placeOf(path, which) })
  })
  const names = sources.map(({ name }) => name)
  return found.length > 0 ? { problems: inOrder(found, names) } : { under, problems: [] }
}

function projectChanges(draft: Draft): PolicyChange[] {
  return draft.changes().flatMap((change) => project(change) ?? [])
}

/** An error of a write, with the nearest name where one is unknown. */
function formatError(error: ZerohopError, draft: Draft): string {
  if (error.code !== 'OBJECT_NOT_FOUND') return error.message
  const { kind, ref } = error.details as { readonly kind: KindName; readonly ref: string }
  const names = [...draft.list(kind)].map(({ key }) => key)
  return `${kind.replaceAll('_', ' ')} \`${shortText(ref)}\` does not exist${hint(ref, names)}`
}
