// Whether a form has been changed: what each field holds is noted when it first takes the focus, which is before
// anything can be typed into it.
import { type FocusEvent, useRef } from 'react'

type FormField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

export function useTyped(): { readonly wasTyped: () => boolean; readonly watch: (event: FocusEvent) => void } {
  const before = useRef(new Map<FormField, string>())
  return {
    wasTyped: () => [...before.current].some(([field, text]) => field.isConnected && fieldText(field) !== text),
    watch: ({ target }) => {
      if (isField(target) && !before.current.has(target)) before.current.set(target, fieldText(target))
    },
  }
}

function isField(element: Element): element is FormField {
  return ['INPUT', 'SELECT', 'TEXTAREA'].includes(element.tagName)
}

function fieldText(field: FormField): string {
  return field instanceof HTMLInputElement && ['checkbox', 'radio'].includes(field.type)
    ? String(field.checked)
    : field.value
}
