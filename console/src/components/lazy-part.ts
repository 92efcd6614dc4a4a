// A part of a page that most visits never show, such as a menu or a dialog: it is loaded when it is wanted. When it
// cannot be loaded, the page stays as it is, with all that was typed.
import { type ComponentType, lazy } from 'react'
import { loadWhenThere } from '../api/load-when-there.ts'
import { notifyFailure } from './notify.ts'

/**
 * @param load the module of the part, with the component as its default export
 * @param Substitute what is shown when the part cannot be loaded; nothing when absent
 * @returns the component, and `prepare`, which loads it before it is wanted and says nothing when it cannot
 */
export function lazyPart<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
  Substitute: ComponentType<P> = () => null,
) {
  const Part = lazy(async () => {
    try {
      return await loadWhenThere(load)
    } catch {
      notifyFailure('Part of this page could not be loaded', new Error('Reload the page to get the current version.'))
      return { default: Substitute }
    }
  })
  return { Part, prepare: () => void load().catch(() => undefined) }
}
