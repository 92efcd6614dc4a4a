// The world as an image, opened as an application opens it: bytes in, a PDP out. Built once per process.
import { loadImage } from '../../dist/src/index.js'
import { makeImage } from '../zerohop-image.mjs'

const opened = new WeakMap()

/** @param {import('../workloads.mjs').World} world */
export async function openZerohop(world) {
  if (!opened.has(world)) opened.set(world, await loadImage(makeImage(world).save()))
  return opened.get(world)
}
