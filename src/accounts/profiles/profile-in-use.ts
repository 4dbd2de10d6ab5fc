/** A profile that somebody else uses; `holderId` is the session or browser that has it. */
export class ProfileInUse extends Error {
  readonly holderId: string;

  constructor(holderId: string) {
    super(`the profile is used by ${holderId}`);
    this.holderId = holderId;
  }
}
