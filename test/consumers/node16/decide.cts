// A CommonJS module that a strict project compiles with `moduleResolution: node16`.
import { connect, isZerohopError, loadImage, type Pdp, type ZerohopError } from 'zerohop'

import zerohop = require('zerohop')

const pdp: Pdp = loadImage(new Uint8Array())
const allow: boolean = pdp.check({ key: 'ana', attributes: { level: 3 } }, 'read', { type: 'document', key: 'plan' })
const connected: Promise<Pdp> = zerohop.connect({ url: 'http://localhost:8080', apiKey: 'key', strict: true })
const code = (error: unknown): ZerohopError['code'] | undefined => (isZerohopError(error) ? error.code : undefined)
// @ts-expect-error: a check is asked with three parts
pdp.check('ana', 'read')
export = { allow, connected, code, connect }
