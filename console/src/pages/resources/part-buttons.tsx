// The buttons of a part of a resource type.
import { Button } from '@mantine/core'
import classes from './resources.module.css'
import type { Parts } from './use-parts.ts'

interface PartButtonsProps {
  /** what it is, for screen readers: `action read` */
  readonly about: string
  readonly partKey: string
  readonly parts: Parts
  /** a relation cannot be changed */
  readonly isFixed?: boolean
}

export function PartButtons({ about, partKey: key, parts, isFixed = false }: PartButtonsProps) {
  return (
    <div className={classes.buttons}>
      {!isFixed && (
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={`Edit ${about}`}
          onClick={() => parts.show({ is: 'edit', key })}
        >
          Edit
        </Button>
      )}
      <Button
        variant="subtle"
        color="red"
        size="compact-xs"
        aria-label={`Delete ${about}`}
        onClick={() => parts.show({ is: 'delete', key })}
      >
        Delete
      </Button>
    </div>
  )
}
