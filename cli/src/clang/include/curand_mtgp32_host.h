// The generator MTGP32 of cuRAND is missing.
#pragma once
#error "cuRAND's generator MTGP32 is not supported"
