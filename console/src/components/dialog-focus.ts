// Where the focus goes when a dialog opens and when it has closed.
import { type RefObject, useLayoutEffect } from 'react'

const FIELDS = ['input', 'select', 'textarea'].map((name) => `${name}:not(:disabled):not([type="hidden"])`)
const EDITABLE = FIELDS.map((field) => `${field}:not([readonly])`).join()

/** Marks what takes the focus when the dialog opens: its first field, or its first button where it has none. */
export function useFirstFocus(body: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const inside = body.current
    if (inside === null || inside.querySelector('[data-autofocus]') !== null) return
    const first = [EDITABLE, FIELDS.join(), 'button'].map((kind) => inside.querySelector(kind)).find((each) => each)
    first?.setAttribute('data-autofocus', '')
  }, [body])
}

/** What had the focus when the open dialog was opened; where that is in a dialog, what opened that one follows. */
let openers: readonly Element[] = []
/** Dialogs that are closed, though some of them are still fading out. */
const closed = new WeakSet<Element>()

/** Gives the focus back to what had it when the dialog opened, or to the title of the page where that is gone. */
export function useFocusBack(isOpen = true): void {
  useLayoutEffect(() => {
    if (!isOpen) return undefined
    const opener = document.activeElement ?? document.body
    const own = findDialog(opener) === undefined ? [opener] : [opener, ...openers]
    openers = own
    return () => {
      const closing = findDialog(document.activeElement)
      if (closing) closed.add(closing)
      setTimeout(() => {
        const now = document.activeElement ?? document.body
        // whatever closed it may have moved the focus on already
        if (now !== document.body && closing?.contains(now) !== true) return
        const place = own.find(isUsable) ?? document.querySelector('h1')
        if (place instanceof HTMLElement) place.focus({ preventScroll: true })
      })
    }
  }, [isOpen])
}

const findDialog = (element: Element | null): Element | undefined => element?.closest('[role="dialog"]') ?? undefined

function isUsable(element: Element): boolean {
  const dialog = findDialog(element)
  const isGone = element === document.body || !element.isConnected || (dialog !== undefined && closed.has(dialog))
  return !isGone && !element.matches(':disabled')
}
