// Parts of a plan that its pages share.
import { Text } from '@mantine/core'

interface CascadeProps {
  readonly counts: readonly { readonly kind: string; readonly count: number }[]
}

/** What goes along with deletes. */
export function Cascade({ counts }: CascadeProps) {
  if (counts.length === 0) return null
  const text = counts
    .map(({ kind, count }) => `${count} ${kind.replaceAll('_', ' ')}${count === 1 ? '' : 's'}`)
    .join(', ')
  return (
    <Text size="sm" mt="sm">
      Deleted along with it: {text}.
    </Text>
  )
}
