// A decision point for policy files with their facts, without a server: what `zerohop why --policy` asks.
import { ZerohopError } from '../../model/errors.ts'
import { FixedImage } from '../../pdp/fixed-image.ts'
import { Pdp } from '../../pdp/pdp.ts'
import { imageOfPolicy } from '../../policy-test/policy-under-test.ts'
import { printOptions, printProblems } from '../terminal/print-problems.ts'
import { findPolicy } from './policy-sources.ts'

/** @throws CONFIG_INVALID when the policy has errors, which are printed */
export function pdpOfFiles(files: readonly string[]): Pdp {
  const found = findPolicy(files, process.cwd())
  const { image, problems } = imageOfPolicy(found.sources)
  const errors = [...found.problems, ...problems]
  if (image !== undefined && errors.length === 0) return new Pdp(new FixedImage(image))
  process.stderr.write(printProblems(errors, found.sources, printOptions(process.stderr)))
  throw new ZerohopError('CONFIG_INVALID', { reason: 'the policy has errors' })
}
