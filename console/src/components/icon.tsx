// An icon by name. It says nothing to screen readers: what it stands beside, or the label of its button, does.
import { SHAPES } from './icon-shapes.tsx'

export type IconName = keyof typeof SHAPES

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {SHAPES[name]}
    </svg>
  )
}
