// A program of ts-node in a CommonJS project, with the oldest way to resolve modules.
import { isZerohopError, loadImage, type Pdp } from 'zerohop'

const pdp: Pdp = loadImage(process.env.HELLO_IMAGE ?? '', { strict: true })
let code = ''
try {
  pdp.check('ana', 'sya', 'hello')
} catch (error) {
  if (isZerohopError(error)) code = error.code
}
process.stdout.write(JSON.stringify([pdp.check('ana', 'say', 'hello'), pdp.check('ben', 'say', 'hello'), code]))
