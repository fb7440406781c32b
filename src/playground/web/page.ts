export const nothing = 0;
