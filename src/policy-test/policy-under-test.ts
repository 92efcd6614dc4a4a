// The policy of files as an image, with the facts of a test file: what a server would have after both were applied. The
// use cases of the API make it, so that a test cannot hold facts that no server would take.
import { Image } from '../image/image.ts'
import { type PolicyChange, project } from '../log/delta.ts'
import { applyPolicy } from '../management/policy-file/apply-policy.ts'
import { countingMint, emptyEnvironment } from '../management/policy-file/empty-environment.ts'
import { hint } from '../management/policy-file/form-sentence.ts'
import type { Problem, Source } from '../management/policy-file/problem.ts'
import { readPolicy } from '../management/policy-file/read-policy.ts'
import type { PolicyFile } from '../management/policy-file/schema.ts'
import type { ZerohopError } from '../model/errors.ts'
import type { Kind } from '../model/objects.ts'
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

  /** @throws what a write throws; the policy was read without errors */
  constructor(policy: PolicyFile) {
    this.#base = emptyEnvironment(this.#mint)
    applyPolicy(this.#base, policy, this.#mint)
    this.changes = projected(this.#base)
  }

  /** What the facts of a test file add; errors are told with the path in the file. */
  facts(
    facts: TestFile['facts'],
    wrong: Wrong,
  ): { readonly changes: readonly PolicyChange[]; readonly users: readonly string[] } {
    const draft = new Draft(this.#base)
    const refused = (error: ZerohopError) => wrong(sentenceOf(error, draft), ['facts', ...(error.path ?? []).slice(1)])
    applyPolicy(draft, { zerohop: 2, ...facts }, this.#mint, refused)
    return { changes: projected(draft), users: [...draft.list('user')].map(({ key }) => key) }
  }
}

/** @throws DELTA_INVALID and the like for changes that no policy has */
export function imageOf(...changes: readonly (readonly PolicyChange[])[]): Image {
  return Image.build('0'.repeat(32), POSITION, changes.flat())
}

/** The image of policy files with their facts; without one when they have errors. */
export function imageOfPolicy(sources: readonly Source[]): {
  readonly image?: Image
  readonly problems: readonly Problem[]
} {
  const { policy, problems } = readPolicy(sources)
  const errors = problems.filter(({ severity }) => severity === 'error')
  return errors.length > 0
    ? { problems: errors }
    : { image: imageOf(new PolicyUnderTest(policy).changes), problems: [] }
}

function projected(draft: Draft): PolicyChange[] {
  return draft.changes().flatMap((change) => project(change) ?? [])
}

/** An error of a write, with the nearest name where one is unknown. */
function sentenceOf(error: ZerohopError, draft: Draft): string {
  if (error.code !== 'OBJECT_NOT_FOUND') return error.message
  const { kind, ref } = error.details as { readonly kind: Kind; readonly ref: string }
  const names = [...draft.list(kind)].map(({ key }) => key)
  return `${kind.replaceAll('_', ' ')} \`${shortText(ref)}\` does not exist${hint(ref, names)}`
}
