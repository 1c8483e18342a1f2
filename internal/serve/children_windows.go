package serve

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// childrenEnd has the processes that this one starts, which are the commands of exec plugins, end when it does: a job has them all, and ends them when
// its last handle is closed. Where there can be no job, they are left alone.
func childrenEnd() (end func()) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return func() {}
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		_ = windows.AssignProcessToJobObject(job, windows.CurrentProcess()) // the handle is closed by the end of this process
	}
	return func() {}
}
