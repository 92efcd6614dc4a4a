// The ways of an image alone: built, changed by deltas in any cuts, saved and loaded, compacted.
import { Image, type KernelSource } from '../../../src/image/image.ts'
import type { PolicyChange } from '../../../src/log/delta.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../deltas.ts'
import { FIRST_CHANGES, type Operation, World } from '../world.ts'
import { groupDeletes } from './objects.ts'
import type { Kept, Opening, Step, Way } from './way.ts'

const empty = (kernel: KernelSource = 'release', Of = Image) =>
  Of.build(ENVIRONMENT, makePosition(1), FIRST_CHANGES, { kernel })

const listChanges = ({ written }: Step): PolicyChange[] => written.flatMap(({ changes }) => changes)

/** A way that keeps one image for the whole story; `next` makes the image of each step from the one before. */
const live = (
  name: string,
  next: (image: Image, step: Step, opening: Opening) => Image,
  kernel?: KernelSource,
  Of = Image,
): Way => ({
  name,
  kind: 'live',
  needsSource: false,
  isWrittenByManagement: false,
  open(opening): Kept {
    let image = empty(kernel, Of)
    return {
      write(step) {
        image = next(image, step, opening)
        image.verify()
      },
      image: () => image,
    }
  },
})

const apply = (image: Image, changes: readonly PolicyChange[]): Image => {
  image.apply(deltaTo(image.revision + 1, changes))
  return image
}

/** Deltas of several operations each, or of one. */
function applyInCuts(image: Image, { written }: Step, { next }: Opening): Image {
  for (let at = 0; at < written.length; ) {
    const until = at + 1 + next(written.length - at)
    apply(
      image,
      written.slice(at, until).flatMap(({ changes }) => changes),
    )
    at = until
  }
  return image
}

/**
 * One object of every kind is deleted, with what a delete takes along, and all of it comes again under the same keys.
 */
function deleteAndCreate(image: Image, world: World, { next }: Opening): void {
  for (const operations of groupDeletes(world).values()) {
    const operation: Operation = operations[next(operations.length)]!
    const without = new World(world)
    apply(image, without.run(operation))
    apply(image, missingIn(without, world))
  }
}

/** The changes that turn the first world into the second one; the first must be a part of the second. */
function missingIn(without: World, world: World): PolicyChange[] {
  return world.contents().filter((change) => {
    const objects = without.policy[change.kind] as ReadonlyMap<string, unknown>
    return change.op === 'put' && JSON.stringify(objects.get(change.key)) !== JSON.stringify(change.value)
  })
}

const rebuilt = (name: string, kernel: KernelSource, Of = Image): Way =>
  live(name, ({ revision }, { world }) => {
    return Of.build(ENVIRONMENT, makePosition(revision + 1), world.contents(), { kernel })
  })

/** Two ways of a host or a kernel that may be wrong: what is built anew, and what remembers. */
export const waysWith = (Of: typeof Image, kernel: KernelSource = 'release'): readonly Way[] => [
  rebuilt('built anew', kernel, Of),
  live('deltas', (image, step) => apply(image, listChanges(step)), kernel, Of),
]

export const IMAGE_WAYS: readonly Way[] = [
  rebuilt('built anew', 'release'),
  {
    name: 'one delta',
    kind: 'final',
    needsSource: false,
    isWrittenByManagement: false,
    open(): Kept {
      const changes: PolicyChange[] = []
      return {
        write: (step) => void changes.push(...listChanges(step)),
        image: () => apply(empty(), changes),
      }
    },
  },
  live('deltas', (image, step) => apply(image, listChanges(step))),
  live('deltas in any cuts', applyInCuts),
  live('deletes and creations between deltas', (image, step, opening) => {
    apply(image, listChanges(step))
    if (opening.next(2) === 0) deleteAndCreate(image, step.world, opening)
    return image
  }),
  live('saved and loaded', (image, step) => Image.load(apply(image, listChanges(step)).save())),
  live('compacted', (image, step, { next }) => {
    const changed = apply(image, listChanges(step))
    return next(2) === 0 ? changed.compact() : changed
  }),
  rebuilt('debug kernel built anew', 'debug'),
  live('debug kernel by deltas', (image, step) => apply(image, listChanges(step)), 'debug'),
]
