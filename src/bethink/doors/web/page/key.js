// The key of this tab. It is gone with the tab, and never stands in an address.

const NAME = "bethink.key";

export const key = {
  get: () => sessionStorage.getItem(NAME),
  set: (value) => sessionStorage.setItem(NAME, value),
  drop: () => sessionStorage.removeItem(NAME),
};
