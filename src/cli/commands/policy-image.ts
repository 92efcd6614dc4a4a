// The image of policy files with their facts, without a server: what `zerohop why --policy` asks, `image build` writes and
// `types` reads.
import type { Image } from '../../image/image.ts'
import { ZerohopError } from '../../model/errors.ts'
import { buildImage, policyUnderTest } from '../../policy-test/policy-under-test.ts'
import { printOptions, printProblems } from '../terminal/print-problems.ts'
import { findPolicy } from './policy-sources.ts'

/** @throws CONFIG_INVALID when the policy has errors, which are printed */
export function imageOfPolicyFiles(files: readonly string[]): Image {
  const found = findPolicy(files, process.cwd())
  const { under, problems } = policyUnderTest(found.sources)
  const errors = [...found.problems, ...problems]
  if (under !== undefined && errors.length === 0) return buildImage(under.changes)
  process.stderr.write(printProblems(errors, found.sources, printOptions(process.stderr)))
  throw new ZerohopError('CONFIG_INVALID', { reason: 'the policy has errors' })
}
