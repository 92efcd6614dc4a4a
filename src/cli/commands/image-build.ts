// `zerohop image build`: an image file of policy files, in the format of those that a server gives.
import { createHash } from 'node:crypto'
import { Signer } from '../../log/signature.ts'
import { writeOut } from '../process/process.ts'
import { imageOfPolicyFiles } from './policy-image.ts'

/**
 * Writes the image, signed when there is a key, and prints one line. @throws CONFIG_INVALID when the policy has errors,
 * which are printed
 */
export function buildImage(files: readonly string[], output: string, signingKey: string | undefined): void {
  const image = imageOfPolicyFiles(files)
  const saved = image.save()
  const bytes = signingKey === undefined ? saved : Buffer.concat([saved, makeTail(saved, signingKey)])
  writeOut(output, bytes)
  process.stdout.write(`${output}: ${signingKey === undefined ? '' : 'signed, '}${bytes.length} bytes\n`)
}

const makeTail = (image: Uint8Array, signingKey: string): Uint8Array =>
  new Signer(signingKey).tail(createHash('sha256').update(image).digest())
