// The world as an image, opened as an application opens it: bytes in, a PDP out. Built once per process.
import { loadImage } from '../../dist/src/index.js'
import { imageOf } from '../zerohop-image.mjs'

const opened = new WeakMap()

/** @param {import('../workloads.mjs').World} world */
export async function zerohopOf(world) {
  if (!opened.has(world)) opened.set(world, await loadImage(imageOf(world).save()))
  return opened.get(world)
}
