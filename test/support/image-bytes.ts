// What the objects of an environment take in an image, counted from all of them.

import { imageBytes, NO_SIZE, plus } from '../../src/kernel/image-bytes.ts'
import type { KindName } from '../../src/kinds/index.ts'
import { sizeOfObject } from '../../src/store/image-budget.ts'
import { KIND_NUMBERS } from '../../src/store/kinds.ts'
import type { View } from '../../src/store/view.ts'

export function countedBytes(view: View): number {
  let size = NO_SIZE
  for (const kind of Object.keys(KIND_NUMBERS) as KindName[])
    for (const object of view.list(kind)) size = plus(size, sizeOfObject(kind, object))
  return imageBytes(size)
}
