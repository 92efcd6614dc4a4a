// A guard for Nest on the Express platform. docs/middleware.md shows this file as it is.
import { type CanActivate, type ExecutionContext, HttpException } from '@nestjs/common'
import type { Request } from 'express'
import { refusalOf, UNAUTHENTICATED } from 'zerohop/express'

/** Lets a request through when its user may do the action; else Nest answers 401, 400, 403 or 503. */
export function may(action: string, resource: (request: Request) => string): CanActivate {
  return {
    canActivate(context: ExecutionContext): boolean {
      const request = context.switchToHttp().getRequest<Request>()
      const { authorization } = request
      const refusal = authorization ? refusalOf(authorization.decide(action, resource(request))) : UNAUTHENTICATED
      if (refusal !== undefined) throw new HttpException(refusal.body, refusal.status)
      return true
    },
  }
}
