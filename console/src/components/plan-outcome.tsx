// Below a plan: the button that carries it out, and what was refused of that. A plan that others have overtaken is made
// again before anything happens.
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { describeError } from '../api/api-error.ts'
import classes from './plan-outcome.module.css'

interface PlanOutcomeProps {
  readonly action: string
  readonly mutation: {
    readonly isPending: boolean
    readonly isError: boolean
    readonly error: unknown
    readonly mutate: () => void
    readonly reset: () => void
  }
  readonly onAgain: () => void
  /** false: the session may only look */
  readonly canWrite: boolean
  readonly isDisabled: boolean
  /** what one may do instead, such as going back */
  readonly beside?: ReactNode
  /** beside the button: what it does, in short */
  readonly children: ReactNode
}

export function PlanOutcome({ action, mutation, onAgain, canWrite, isDisabled, beside, children }: PlanOutcomeProps) {
  return (
    <>
      {mutation.isError && (
        <div role="alert" className={classes.refusal}>
          <span>{describeError(mutation.error).text} Nothing was changed.</span>
          <Button
            variant="default"
            onClick={() => {
              mutation.reset()
              onAgain()
            }}
          >
            Plan again
          </Button>
        </div>
      )}
      <div className={classes.foot}>
        {canWrite && (
          <Button disabled={isDisabled} loading={mutation.isPending} onClick={() => mutation.mutate()}>
            {action}
          </Button>
        )}
        {beside}
        <span className={classes.note}>
          {children}
          {!canWrite && ' You have read-only access.'}
        </span>
      </div>
    </>
  )
}
